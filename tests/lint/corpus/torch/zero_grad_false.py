import torch
from data import model

optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.zero_grad(set_to_none=False)  # expect: zero-grad-to-zero note
