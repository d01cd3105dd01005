import torch
from torch.utils.data import DataLoader, TensorDataset


def loaders(x, y):
    dataset = TensorDataset(x, y)
    return DataLoader(dataset), DataLoader(TensorDataset(x)), DataLoader([1, 2, 3])
