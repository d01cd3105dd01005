import numpy as np
import torch
from data import model, rows, show


def of_a_tensor(batch):
    found = torch.argmax(model(batch), dim=1)
    for i in range(len(found)):
        show(found[i].item())  # expect: item-by-index note
    return [found[i].item() for i in range(len(found))]  # expect: item-by-index note


def by_enumerate(batch, names):
    scores = model(batch).softmax(-1)
    for i, name in enumerate(names):
        show(name, scores[i].item())  # expect: item-by-index note


def of_what_is_given(scores, names):
    for i, name in enumerate(names):
        show(name, scores[i, 0].item())  # expect: item-by-index note


def of_no_tensor(batch):
    losses = []
    values = np.zeros(100)
    for i in range(100):
        losses.append(model(batch))
        show(losses[i].item(), values[i].item())


def of_what_changes(names):
    for i in range(100):
        found = model(rows[i])
        show(found[i].item())


def of_few():
    found = torch.argmax(model(rows), dim=1)
    return [found[i].item() for i in range(3)]


def of_what_is_set():
    order = torch.arange(100)
    for i in range(100):
        order[i - 1] = order[i].item()
