import queue

import numpy as np
import torch
from tools import compute, log, optimizer


def train(loader, device, found):
    waiting = queue.Queue()
    for batch, lengths in loader:
        tokens = batch.sum().item()
        longest = lengths.max().item()
        batch = batch.to(device)
        loss = compute(batch)
        loss.backward()
        optimizer.step()
        values = np.asarray([1.0, 2.0])
        log(values.mean().item(), waiting.item(), tokens, longest)
        drawn = torch.randint(0, 10, (1,))
        log(drawn.item(), np.mean(values).item())


def of_a_queue(loader, device, work_queue):
    for batch in loader:
        compute(batch.to(device)).backward()
        log(work_queue.item())


def moved_before(loader, device):
    for batch in loader:
        batch = batch.to(device)
        compute(batch).backward()
        log(batch.sum().item())  # expect: sync-in-loop


def moved_in_place(loader, device):
    for batch in loader:
        batch["image"] = batch["image"].to(device)
        compute(batch).backward()
        log(batch["image"].sum().item())  # expect: sync-in-loop
