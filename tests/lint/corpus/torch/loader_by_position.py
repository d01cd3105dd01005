from data import dataset
from torch.utils.data import DataLoader

loader = DataLoader(dataset, 32, True, None, None, 4)
