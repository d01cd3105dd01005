import tensorflow as tf
from data import use


@tf.function
def run(batches, cache, holder):
    first = True
    for batch in batches:
        if first:
            use(tf.zeros([2]))
            first = False
        if batch not in cache:
            cache[batch] = tf.ones([2])
        if not hasattr(holder, "mask"):
            holder.mask = tf.ones([3])
