import torch
from data import files, is_pinned, model
from torch.utils.data import DataLoader


def train(device):
    pinned = DataLoader(files, num_workers=2, pin_memory=True)  # expect: half-pinned-loader note
    for batch in pinned:
        model(batch.to(device))
    waiting = DataLoader(files, num_workers=2)  # expect: half-pinned-loader note
    for batch in waiting:
        model(batch.to(device, non_blocking=True))
    both = DataLoader(files, num_workers=2, pin_memory=True)
    for batch in both:
        model(batch.to(device, non_blocking=True))
    perhaps = DataLoader(files, num_workers=2, pin_memory=is_pinned)
    for batch in perhaps:
        model(batch.to(device, non_blocking=True))
    not_copied = DataLoader(files, num_workers=2, pin_memory=True)
    for batch in not_copied:
        model(batch)
