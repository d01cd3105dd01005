import functools

import tensorflow as tf


@functools.lru_cache
def step_of(size):
    @tf.function
    def step(x):
        return x * size

    return step


def train(batches: list, size):
    for batch in batches:
        step_of(size)(batch)
