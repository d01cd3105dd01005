import tensorflow as tf


def compile_all(functions):
    for function in functions:
        yield tf.function(function)
