import torch


def add(optimizer, parameters, gradients):
    optimizer.zero_grad(set_to_none=False)
    for p, g in zip(parameters, gradients):
        p.grad += g
