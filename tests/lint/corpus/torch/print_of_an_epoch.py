import torch
from data import criterion, loader, model

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for number, (batch, target) in enumerate(loader):
    loss = criterion(model(batch), target)
    loss.backward()
    optimizer.step()
    print(number)
