import torch
from data import test_set, train_set
from torch.utils.data import DataLoader

device = torch.device("cuda")
train_loader = DataLoader(train_set, num_workers=2)  # expect: unpinned-loader
test_loader = DataLoader(test_set, num_workers=2, pin_memory=True)  # expect: half-pinned-loader note
names = DataLoader(train_set, num_workers=2)


def train(loader, model):
    for i, batch in enumerate(loader):
        inputs, labels = batch
        model(inputs.to(device), labels.to(device))


def test(model):
    for x, y in test_loader:
        model(x.to(device), y.to(device))
    for name in names:
        print(name)


train(train_loader, test)
