import tensorflow as tf
from data import parse

ds = tf.keras.utils.image_dataset_from_directory("images").map(parse)  # expect: sequential-map
