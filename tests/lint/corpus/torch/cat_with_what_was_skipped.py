import torch
from data import block


def decode(x, skipped):
    for skip in skipped:
        x = torch.cat([x, skip], dim=1)
        x = block(x)
    return x
