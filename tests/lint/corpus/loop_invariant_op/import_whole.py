import tensorflow
from data import WEIGHTS, use


@tensorflow.function
def train(batches: list):
    for batch in batches:
        use(batch, tensorflow.constant(WEIGHTS))  # expect: loop-invariant-op
