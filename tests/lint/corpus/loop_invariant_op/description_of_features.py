import tensorflow as tf


def parse(records):
    for record in records:
        tf.io.parse_single_example(
            record,
            {
                "x": tf.io.FixedLenFeature([1], tf.float32),  # expect: loop-invariant-op note
            },
        )
