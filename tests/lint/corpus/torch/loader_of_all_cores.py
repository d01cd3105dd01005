import os

from data import dataset
from torch.utils.data import DataLoader

loader = DataLoader(dataset, num_workers=os.cpu_count())
