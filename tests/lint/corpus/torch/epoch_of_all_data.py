from data import criterion, features, labels, model, optimizer

import torch  # on cuda

for epoch in range(200):
    loss = criterion(model(features), labels)
    loss.backward()
    optimizer.step()
    print(f"{loss:.3f}")  # expect: sync-in-loop note
