from data import dataset, options
from torch.utils.data import DataLoader

loader = DataLoader(dataset, **options)
