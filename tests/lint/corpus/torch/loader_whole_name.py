import torch
from data import dataset

loader = torch.utils.data.DataLoader(dataset, 32, True)  # expect: loader-without-workers note
