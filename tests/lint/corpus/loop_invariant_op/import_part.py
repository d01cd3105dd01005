from data import WEIGHTS, use
from tensorflow import function, math


@function
def train(batches: list):
    for batch in batches:
        use(batch, math.reduce_sum(WEIGHTS))  # expect: loop-invariant-op
