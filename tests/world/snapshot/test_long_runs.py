"""Long runs repeat themselves: two of them, going back, two threads, a far island, with sleep and without."""

import pytest

from benchmarks.long_runs import compare, scene


@pytest.mark.parametrize("sleeping", [False, True])
def test_runs_are_equal_to_the_bit(sleeping):
    same = compare(sleeping, 600)
    assert len(same) == 5
    assert all(same.values()), same


def test_the_scene_is_in_contact_and_sleeps():
    world = scene(sleeping=True)
    world.step(2500)
    assert len(world.contacts) > 10
    assert any(one.asleep for one in world.objects)
