from data import dataset, wrap
from torch.utils.data import DataLoader, Subset

dataset = wrap(dataset)
dataset = Subset(dataset, [1])
loader = DataLoader(dataset)  # expect: loader-without-workers note
