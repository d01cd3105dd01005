import torch
from data import batches, model

outputs = []
for batch in batches:
    outputs.append(model(batch))
outputs = torch.cat(outputs)
