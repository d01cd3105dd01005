from functools import cache as function

from data import batches

for batch in batches:

    @function
    def step(x):
        return x

    step("tensorflow")
