import torch
from data import loader, loss_of, model, show


@torch.no_grad()
def evaluate(device):
    right = 0
    for batch, labels in loader:
        count = labels.numel()
        found = model(batch.to(device))
        right += (found.argmax(1) == labels.to(device)).sum().item()  # expect: sync-in-evaluation note
    return right / count


@torch.inference_mode()
def decode(tokens, end):
    while True:
        scores = model(tokens)
        token = torch.argmax(scores[-1])
        if token == end:  # expect: sync-in-evaluation note
            break
        tokens = torch.cat([tokens, token[None]])
    return tokens


@torch.no_grad()
def all_ended(tokens, end, ended):
    for _ in range(100):
        token = model.forward(tokens).argmax(-1)
        ended = ended | (token == end)
        if torch.all(ended):  # expect: sync-in-evaluation note
            break
        if (token == end).all():
            break


@torch.no_grad()
def collected(device):
    found = []
    for batch in loader:
        found.append(model(batch.to(device)).cpu())
    return found


@torch.no_grad()
def added_up(device):
    total = torch.zeros(1, device=device)
    for batch in loader:
        total += loss_of(model(batch.to(device)))
    show(total.item())


def with_gradients(device):
    for batch in loader:
        show(model(batch.to(device)).sum().item())
