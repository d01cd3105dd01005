import tensorflow as tf


def decode(path):
    return tf.io.decode_jpeg(tf.io.read_file(path))


def count(words):
    return len(words)


def images(files):
    return files.map(decode)  # expect: sequential-map


def lines(texts):
    return texts.map(lambda text: tf.strings.split(text))  # expect: sequential-map


def lengths(texts):
    return texts.map(count)


def in_a_pool(pool, files):
    return pool.map(decode, files)
