import torch
from data import env, policy

for _ in range(100):
    action, loss = policy()
    loss.backward()
    state = env.step(action.item())
