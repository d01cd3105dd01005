from data import batches, model
from tensorflow import function


def train(batch):
    return function(model)(batch)  # expect: function-in-loop note


for batch in batches:
    train(batch)
