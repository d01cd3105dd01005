import torch
from data import criterion, loader, model

total = 0.0
with torch.no_grad():
    for batch, target in loader:
        total += criterion(model(batch), target).item()  # expect: sync-in-evaluation note
