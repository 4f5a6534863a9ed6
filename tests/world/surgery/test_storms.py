"""Random edit storms, a few; benchmarks/storms.py runs many."""

from benchmarks.storms import Storm


def test_a_storm_keeps_what_is_promised(seed):
    storm = Storm(100 + seed)
    storm.run(40)
    assert storm.done["dock"] + storm.done["cut"] > 2
