from data import dataset
from torch.utils import data

loader = data.DataLoader(dataset, num_workers=0)
