from data import root, transform
from torch.utils.data import DataLoader, Dataset, TensorDataset, random_split
from torchvision import datasets


class Words(Dataset):
    def __getitem__(self, index):
        return open(self.paths[index]).read()


class Numbers(Dataset):
    def __getitem__(self, index):
        return self.numbers[index]


train = datasets.ImageFolder(root, transform=transform)
loaders = [
    DataLoader(train),  # expect: loader-without-workers note
    DataLoader(Words()),  # expect: loader-without-workers note
    DataLoader(Numbers()),  # expect: loader-without-workers note
]


def halves(x):
    first, second = random_split(TensorDataset(x), [1, 1])
    return DataLoader(first), DataLoader(second)
