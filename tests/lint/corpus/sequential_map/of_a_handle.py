import core_ops
import tensorflow as tf


class Messages:
    def __init__(self, resource):
        self._resource = resource
        numbers = tf.data.Dataset.range(9)
        self.read = numbers.map(lambda i: core_ops.readable_read(self._resource, i))  # expect: sequential-map note
        self.next = numbers.map(lambda i: resource.get_next_batch())
