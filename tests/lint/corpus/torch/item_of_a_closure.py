import torch
from data import criterion, loader, model, optimizer

for batch, target in loader:

    def closure():
        optimizer.zero_grad()
        loss = criterion(model(batch), target)
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    print(loss.item())  # expect: sync-in-loop
