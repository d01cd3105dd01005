import torch
from data import loader

whole = None
for part in loader:
    if whole is None:
        whole = part
    else:
        whole = torch.cat([whole, part])  # expect: cat-in-loop note
