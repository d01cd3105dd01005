import lightning
import torch
from data import read


class Module(lightning.LightningModule):
    def validation_step(self, batch, number):
        self.model.eval()
        return self.model(batch)

    def test_step(self, batch, number):
        self.model.eval()
        return self.model(batch)

    def on_validation_epoch_end(self):
        self.model.eval()
        return self.model(read())

    def forward_all(self, batch):
        self.model.eval()
        return self.model(batch)  # expect: model-with-gradients
