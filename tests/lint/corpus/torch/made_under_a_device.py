import torch
from data import use

device = torch.device("cuda")


def step(rows):
    for row in rows:
        with torch.device("cuda"):
            use(row, torch.zeros(8).to(device))
        with device:
            use(row, torch.zeros(8).to(device))
        use(row, torch.zeros(8).to(device))  # expect: tensor-made-on-cpu
