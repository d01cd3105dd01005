import torch
from data import loader, model, verbose

for step, batch in enumerate(loader):
    loss = model(batch)
    loss.backward()
    if verbose:
        print(loss.item())  # expect: sync-in-loop note
    if step % 100:
        continue
    print(loss.item())
