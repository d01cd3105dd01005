import tensorflow as tf
from data import use


@tf.function
def train(batches: list):
    for batch in batches:
        match batch:
            case (first, *_):
                use(tf.identity(first))
