import requests
import tensorflow as tf
from data import addresses

for address in addresses:
    with requests.Session() as session:
        tf.constant(session.get(address).content)
