import torch
from data import dataset
from mine import DataLoader

loader = DataLoader(dataset, torch.float32)
