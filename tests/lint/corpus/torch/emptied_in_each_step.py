import gc

import torch
from data import compute, loader, log, optimizer


def train(device):
    for i, batch in enumerate(loader):
        try:
            loss = compute(batch.to(device))
        except RuntimeError:
            torch.cuda.empty_cache()
            continue
        loss.backward()
        optimizer.step()
        torch.cuda.empty_cache()  # expect: cache-emptied-in-loop
        gc.collect()  # expect: cache-emptied-in-loop
        torch.cuda.synchronize()  # expect: synchronize-in-loop note
        if i % 100 == 0:
            gc.collect()
            torch.cuda.synchronize()
    torch.cuda.empty_cache()


def in_parts(device, parts):
    for i, batch in enumerate(loader):
        compute(batch.to(device)).backward()
        if (i + 1) % parts == 0:
            optimizer.step()
            torch.cuda.empty_cache()  # expect: cache-emptied-in-loop


def measured(device, is_measured):
    for batch in loader:
        compute(batch.to(device)).backward()
        if is_measured:
            torch.cuda.synchronize()


def without_training(device):
    for batch in loader:
        log(compute(batch.to(device)))
        torch.cuda.empty_cache()
