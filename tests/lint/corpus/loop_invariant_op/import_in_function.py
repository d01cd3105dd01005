from data import WEIGHTS, use


def build(batches):
    import tensorflow as tf

    with tf.Graph().as_default():
        for batch in batches:
            use(batch, tf.constant(WEIGHTS))  # expect: loop-invariant-op
