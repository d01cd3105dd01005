import torch


def step(model, batch):
    loss = model(batch)
    loss.backward()
    return loss.item()  # expect: sync-in-loop


def train(model, loader):
    return fit(model, loader)


def fit(model, loader):
    for batch in loader:
        print(step(model, batch))
