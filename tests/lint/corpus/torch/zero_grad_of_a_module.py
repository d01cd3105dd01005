import torch
from data import model

net = torch.nn.Linear(1, 1)
net.zero_grad(set_to_none=False)  # expect: zero-grad-to-zero note
