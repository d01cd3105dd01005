import torch
from data import compute, loader, log, model, optimizer
from torch.nn.utils import clip_grad_norm_


def shown(loss, number):
    if number % 100:
        return
    log(loss.item())


def noted(loss):
    log(float(loss))  # expect: sync-in-loop


def longest(lengths):
    return lengths.max().item()


class Trainer:
    def clip(self):
        norm = clip_grad_norm_(model.parameters(), 1.0)
        return f"{norm:.2f}"  # expect: sync-in-loop

    def step(self, batch):
        loss = compute(batch.cuda())
        loss.backward()
        optimizer.step(self.clip())

    def fit(self):
        for batch in loader:
            self.step(batch)


def train(device):
    for number, (batch, lengths) in enumerate(loader):
        longest(lengths)
        loss = compute(batch.to(device))
        loss.backward()
        optimizer.step()
        shown(loss, number)
        noted(loss)


def now_and_then(device):
    for number, batch in enumerate(loader):
        loss = compute(batch.to(device))
        loss.backward()
        if number % 100 == 0:
            noted(loss)


def in_one_call(device, wrapper):
    for batch in loader:
        loss = compute(batch.to(device))
        wrapper.update_params(loss)
        log(loss.item())  # expect: sync-in-loop
