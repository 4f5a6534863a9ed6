"""Docks and cuts, objects that come and go, and going back take no memory for good."""

from functools import partial

from reference.c_heap import growth, needs_mallinfo2

from benchmarks.cycles import Cycles, tracked


def test_no_object_is_left_behind():
    here = Cycles()
    here.run(30)
    before = tracked()
    here.run(40)
    assert tracked() - before <= 2


@needs_mallinfo2
def test_the_heap_does_not_grow():
    here = Cycles()
    here.run(60)
    assert growth(partial(here.run, 1), 60) < 100.0
