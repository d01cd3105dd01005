from data import dataset, workers
from torch.utils.data import DataLoader

loaders = [DataLoader(dataset, num_workers=4), DataLoader(dataset, num_workers=workers)]
