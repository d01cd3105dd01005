import torch
from data import d_loss_of, g_loss_of, loader

device = torch.device("cuda")
for i, batch in enumerate(loader):
    d_loss = d_loss_of(batch.to(device))
    d_loss.backward()
    d_score = d_loss.mean().item()  # expect: sync-in-loop
    g_loss = g_loss_of(batch)
    g_loss.backward()
    print("[D loss: %f] [G loss: %f]" % (d_loss.item(), g_loss.item()))  # expect: sync-in-loop
