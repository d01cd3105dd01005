import lightning
import torch
from ignite.engine import Engine
from tools import compute, log, optimizer
from transformers import Trainer


class Module(lightning.LightningModule):
    def training_step(self, batch, number):
        loss = compute(self, batch)
        self.log("loss", loss.item())  # expect: sync-in-loop
        return loss

    def validation_step(self, batch, number):
        return compute(self, batch).item()


class Mine(Trainer):
    def compute_loss(self, model, inputs, return_outputs=False):
        loss = model(**inputs).loss
        log(loss.item())  # expect: sync-in-loop
        return loss


class Loss(torch.nn.Module):
    def compute_loss(self, found):
        return found.mean().item()


def update(engine, batch):
    loss = compute(batch)
    loss.backward()
    optimizer.step()
    return loss.item()  # expect: sync-in-loop


trainer = Engine(update)
