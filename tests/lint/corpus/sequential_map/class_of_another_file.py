import tensorflow as tf
from mine import Batcher, Dataset


def go(dataset: Batcher):
    return dataset.map(tf.abs).batch(3)


dataset = Dataset("x")
dataset = dataset.map(tf.abs).shuffle(3).batch(3)
