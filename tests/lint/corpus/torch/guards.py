import math

import torch
from data import batches, criterion, model, optimizer


def checked(total=0.0):
    for batch in batches:
        loss = criterion(model(batch.cuda()))
        if torch.isnan(loss):
            raise ValueError("not a number")
        total += loss.item()
        loss.backward()
        optimizer.step()
    return total


def checked_by_a_method(total=0.0):
    for batch in batches:
        loss = criterion(model(batch.cuda()))
        if loss.isnan():
            raise ValueError("not a number")
        total += loss.item()
        loss.backward()
    return total


def read_for_the_test(total=0.0):
    for batch in batches:
        loss = criterion(model(batch.cuda()))
        value = loss.item()
        if not math.isfinite(value):
            raise ValueError(value)
        loss.backward()
        total += loss.item()  # expect: sync-in-loop
    return total


def told_when_it_ends():
    for batch in batches:
        loss = criterion(model(batch.cuda()))
        if not math.isfinite(loss.item()):
            print(f"loss is {loss.item()}")
            raise ValueError("not finite")
        loss.backward()


def awaited(total=0.0):
    for batch in batches:
        loss = criterion(model(batch.cuda()))
        loss.backward()
        torch.cuda.synchronize()  # expect: synchronize-in-loop note
        total += loss.item()
    return total
