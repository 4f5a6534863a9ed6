"""Random edit storms, a few; benchmarks/storms.py runs many."""

from benchmarks.storms import Storm


def test_a_storm_keeps_what_is_promised(seed):
    storm = Storm(100 + seed)
    storm.run(40)
    assert storm.done["dock"] + storm.done["cut"] > 2


def test_a_storm_that_goes_back_through_surgery(seed):
    storm = Storm(200 + seed, returns=True)
    storm.run(80)
    assert storm.done["go_back"] > 5


def test_going_back_after_a_fast_robot_was_slowed():
    """The bound on fast motions left the momentum of before, to rounding: it differed by 7e-15 m/s after `restore`."""
    storm = Storm(3)
    storm.run(60)
    assert storm.done["snapshot"] >= 6
