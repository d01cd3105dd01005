import tensorflow as tf

# ds = tf.data.Dataset.range(9).map(parse)
text = "tf.data.Dataset.range(9).map(parse)"
use = tf.strings.length(text)
