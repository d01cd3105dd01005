import tensorflow as tf
from data import WEIGHTS, batches, use

for batch in batches:
    weights = tf.constant(WEIGHTS)  # expect: loop-invariant-op note
    use(batch, weights)
