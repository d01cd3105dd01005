import torch


def evaluate(model, loader):
    model.eval()
    total = 0
    for x, y in loader:
        total += (model(x).argmax(-1) == y).sum()  # expect: model-with-gradients
    model.train()
    return total


def good(model, loader):
    model.eval()
    with torch.no_grad():
        return [model(x) for x in loader]


@torch.inference_mode()
def decorated(model, x):
    model.eval()
    return model(x)


def attack(model, x):
    model.eval()
    x.requires_grad_()
    model(x).sum().backward()
    return x.grad


def helper(model, x):
    model.eval()
    return model(x)


def main(model, x):
    with torch.no_grad():
        return helper(model, x)
