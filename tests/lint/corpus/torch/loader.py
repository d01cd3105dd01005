from data import dataset
from torch.utils.data import DataLoader

loader = DataLoader(dataset, batch_size=32)  # expect: loader-without-workers note
