import tensorflow as tf
from data import load, parse

ds = load(tf.float32).map(parse)
