import numpy as tf
from data import WEIGHTS, batches, use

for batch in batches:
    use("tensorflow", batch, tf.sum(WEIGHTS))
