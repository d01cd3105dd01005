import numpy as np
import torch
from data import batches

outputs = np.empty(0)
for batch in batches:
    outputs = np.concatenate([outputs, batch])
tensor = torch.from_numpy(outputs)
