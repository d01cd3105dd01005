import tensorflow as tf


def chosen(datasets):
    samplers = [one.repeat().make_one_shot_iterator().get_next for one in datasets]
    return tf.data.Dataset.range(9).map(lambda i: samplers[0]())


def numbered(lines):
    numbers = iter(lines)
    return tf.data.Dataset.range(9).map(lambda i: next(numbers))
