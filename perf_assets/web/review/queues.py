"""Who judges what: the subjects of each rater, in an order of their own."""

from collections.abc import Sequence

from perf_assets.web.review.store import Key, Store, shuffled


def fill(
    store: Store, keys: Sequence[Key], drawn: str, raters: Sequence[str], seed: int, overlap: int
) -> None:
    """Give subjects to raters; those that a rater has already stay where they are.

    Parameters
    ----------
    store : where queues are kept.
    keys : the subjects.
    drawn : how they were drawn.
    raters : who judges them.
    seed : of the order of each rater.
    overlap : percent of the subjects that every rater gets; the others are divided in turn.
    """
    store.add_subjects(keys, drawn)
    common = round(len(keys) * overlap / 100)
    divided = keys[common:]
    for index, rater in enumerate(raters):
        own = [*keys[:common], *divided[index :: len(raters)]]
        store.set_queue(rater, shuffled(own, seed, rater))
