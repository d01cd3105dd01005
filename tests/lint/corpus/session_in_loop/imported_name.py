from data import batches, step
from tensorflow.compat.v1 import Session

for batch in batches:
    with Session() as session:  # expect: session-in-loop note
        session.run(step, {"x:0": batch})
