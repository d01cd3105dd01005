import tensorflow as tf
from tqdm import tqdm, trange


@tf.function
def step(x, t):
    return x + t


def sample(x, loss):
    for t in reversed(range(1000)):
        x = step(x, t)  # expect: scalar-to-function note
    for t in tqdm(range(1000)):
        x = step(x, t)  # expect: scalar-to-function note
    for t in trange(1000):
        x = step(x, t)  # expect: scalar-to-function note
    count = tf.constant(0)
    for part in x:
        step(part, count)
        count += 1
        step(part, loss(part).numpy())
        step(part, bool(count))
