import tensorflow as tf
from data import WEIGHTS, read, use


class Trainer:
    def __init__(self):
        self.dataset = read()
        self.parts = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]

    @tf.function
    def train(self, rows):
        for row in rows:
            use(row, tf.constant(WEIGHTS))
        for row in self.dataset:
            use(row, tf.constant(WEIGHTS))
        for number, row in enumerate(self.dataset.take(5)):
            use(number, row, tf.constant(WEIGHTS))
        for at in range(tf.shape(rows)[0]):
            use(at, tf.constant(WEIGHTS))
        for row in tf.unstack(rows):
            use(row, tf.constant(WEIGHTS))  # expect: loop-invariant-op
        for part in self.parts:
            use(part, tf.constant(WEIGHTS))  # expect: loop-invariant-op
        self.again(rows)

    def again(self, rows):
        for row in rows:
            use(row, tf.constant(WEIGHTS))


@tf.function
def over_files(files: list[str]):
    made = tf.data.Dataset.from_tensor_slices(files).batch(2)
    for row in made:
        use(row, tf.constant(WEIGHTS))
    for file in files:
        use(file, tf.constant(WEIGHTS))  # expect: loop-invariant-op
