import datasets
import tensorflow as tf
from data import parse

rows = datasets.load_dataset("imdb")["train"].map(parse)
use = tf.constant(len(rows))
