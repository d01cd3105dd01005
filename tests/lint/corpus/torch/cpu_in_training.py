import torch
from data import criterion, keep, loader, model

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch, target in loader:
    loss = criterion(model(batch), target)
    loss.backward()
    optimizer.step()
    keep(loss.detach().cpu())  # expect: sync-in-loop
