import logging

import torch
from tools import compute, optimizer

logger = logging.getLogger(__name__)


def logged(loader, device):
    for batch in loader:
        loss = compute(batch.to(device))
        loss.backward()
        logger.info("loss %s", loss)  # expect: sync-in-loop


def compared(loader, device):
    best = 9.9
    for batch in loader:
        loss = compute(batch.to(device))
        loss.backward()
        if loss < best:  # expect: sync-in-loop
            best = loss


def until_it_is_small(batch, device):
    loss = torch.ones(1, device=device)
    while loss > 0.1:  # expect: sync-in-loop
        loss = compute(batch.to(device))
        loss.backward()
        optimizer.step()


def a_mask_is_no_test(loader, device):
    for batch in loader:
        loss = compute(batch.to(device))
        loss.backward()
        mask = loss > 1
        optimizer.step(mask)
        if loss is None or loss.dim() > 1:
            logger.info("none")


def moved_to_the_cpu(loader, device, kept):
    for batch in loader:
        loss = compute(batch.to(device))
        loss.backward()
        kept.append(loss.detach().to("cpu"))  # expect: sync-in-loop


def numbers_beside_a_model(loader, model, device):
    for step, batch in enumerate(loader):
        model(batch.to(device), step).backward()
        optimizer.step(min(step / 300, 1))


def for_debugging(loader, device):
    for batch in loader:
        loss = compute(batch.to(device))
        loss.backward()
        logger.debug("loss %s", loss)  # expect: sync-in-loop note
