import torch
from tools import log, loss_of


def in_a_branch(model, loader, optimizer, parts, device):
    running = 0
    for i, batch in enumerate(loader):
        loss = loss_of(model, batch.to(device)) / parts
        running += loss
        loss.backward()
        if (i + 1) % parts == 0:
            optimizer.step()
            optimizer.zero_grad()
            log(running.detach().item())  # expect: sync-in-loop
            if i % 100 == 0:
                log(loss.item())


def behind_a_test(model, loader, optimizer, parts, device):
    for i, batch in enumerate(loader):
        loss = loss_of(model, batch.to(device))
        loss.backward()
        if (i + 1) % parts != 0:
            continue
        optimizer.step()
        log(loss.item())  # expect: sync-in-loop


def in_an_inner_loop(model, loader, optimizer, parts, device):
    for step in range(1000):
        total = 0
        for part in range(parts):
            loss = loss_of(model, next(loader).to(device))
            total = total + loss.detach()
            loss.backward()
        optimizer.step()
        print(f"{step} {total:.3f}")  # expect: sync-in-loop
        print(f"{step} {loss.item():.3f}")


def at_the_end_of_an_epoch(model, loader, optimizer, device):
    for _ in range(10):
        for batch in loader:
            loss = loss_of(model, batch.to(device))
            loss.backward()
            optimizer.step()
        log(loss.item())
