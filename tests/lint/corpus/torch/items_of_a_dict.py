import torch
from data import criterion, loader, model, use

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for batch in loader:
    for name, value in batch.items():
        use(name, value)
    criterion(model(batch)).backward()
    optimizer.step()
