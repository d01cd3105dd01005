import torch
from data import compute_loss, model
from tqdm import tqdm


def train(loader, optimizer):
    mloss = torch.zeros(3, device="cuda")
    bar = tqdm(loader)
    for i, (images, targets) in enumerate(bar):
        loss, loss_items = compute_loss(model(images), targets)
        loss.backward()
        optimizer.step()
        mloss = (mloss * i + loss_items) / (i + 1)
        bar.set_description("%g" * 3 % (*mloss,))  # expect: sync-in-loop


def fit(loader):
    for batch in loader:
        loss = model(batch)
        loss.backward()
        print(f"loss {loss}")  # expect: sync-in-loop
