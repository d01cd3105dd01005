import torch
from data import critic, envs, observation, policy

device = torch.device("cuda")
for _ in range(100):
    actions, loss = policy(observation.to(device))
    actions = actions.cpu().numpy()
    observation, reward = envs.step(actions)
    loss = critic(observation, reward)
    loss.backward()
