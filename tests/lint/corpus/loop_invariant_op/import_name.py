from data import WEIGHTS, use
from tensorflow import constant, function


@function
def train(batches: list):
    for batch in batches:
        use(batch, constant(WEIGHTS))  # expect: loop-invariant-op
