import torch

w = torch.randn(3, requires_grad=True)
for t in range(500):
    loss = (w - 1).pow(2).sum()
    loss.backward()
    print(t, loss.item())  # expect: sync-in-loop note
