import torch
from data import first, second

outputs = torch.cat([first, second])
outputs = torch.cat([outputs, second])
