import tensorflow as tf
from data import Pipeline, parse

pipeline = Pipeline(tf)
pipeline = pipeline.map(parse).batch(32)
