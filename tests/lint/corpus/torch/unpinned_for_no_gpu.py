import torch
from accelerate import Accelerator
from data import files, model
from torch.utils.data import DataLoader

device = "cpu"
mps = torch.device("mps")


def on_the_cpu():
    loader = DataLoader(files, num_workers=2)
    for batch in loader:
        model(batch.to(device))


def on_mps():
    loader = DataLoader(files, num_workers=2)
    for batch in loader:
        model(batch.to(mps))


def prepared(device):
    accelerator = Accelerator()
    loader = DataLoader(files, num_workers=2)
    net, loader = accelerator.prepare(model, loader)
    for batch in loader:
        net(batch.to(accelerator.device))


def on_a_gpu(device):
    loader = DataLoader(files, num_workers=2)  # expect: unpinned-loader
    for batch in loader:
        model(batch.to(device))
