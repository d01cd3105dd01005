import tensorflow as tf
from data import batches, model

results = [tf.function(model)(batch) for batch in batches]  # expect: function-in-loop note
