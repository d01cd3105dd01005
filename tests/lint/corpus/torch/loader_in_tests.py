# path: project/tests/test_loader.py
from data import dataset
from torch.utils.data import DataLoader

loader = DataLoader(dataset)
