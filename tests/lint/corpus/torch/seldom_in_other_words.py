import time

import torch
from tools import compute, log


def train(loader, device):
    last = time.time()
    step = 0
    for i, batch in enumerate(loader):
        loss = compute(batch.to(device))
        loss.backward()
        step += 1
        if i in (1, 10, 100):
            log(loss.item())
        if time.time() - last > 10:
            log(loss.item())
        now = time.monotonic()
        if now - last > 10:
            log(loss.item())
        if not i & 63:
            log(loss.item())
        if step == 100:
            log(loss.item())
