import tensorflow as tf
from data import parse
from pyspark.sql import SparkSession

rows = SparkSession.builder.getOrCreate().read.csv("a.csv").rdd.map(parse)
use = tf.constant(rows.count())
