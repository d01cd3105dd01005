from data import WEIGHTS, use
from tensorflow import constant as fixed
from tensorflow import function


@function
def train(batches: list):
    for batch in batches:
        use(batch, fixed(WEIGHTS))  # expect: loop-invariant-op
