import torch
from data import train_set
from torch.utils.data import DataLoader

loader = DataLoader(train_set, num_workers=2)  # expect: half-pinned-loader note
for x in loader:
    print(x.cuda(non_blocking=True).shape, x.to(torch.float16))
