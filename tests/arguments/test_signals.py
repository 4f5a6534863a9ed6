"""What a handler of a signal raises comes out of calls, whatever they are about to do."""

import numpy as np
import pytest
from interrupting import Interrupt, interrupted, lines_of

from rbdyn import Transform
from rbdyn.collision import Box, Cylinder, distance, shape_cast
from rbdyn.world import World


class TimeIsUpError(Exception):
    """Raised by a handler, as those of decorators that limit the time of a call do."""


def world():
    made = World(1e-3)
    made.add_sphere(1.0, 1.0)
    return made


WORLD = world()
CALLS = {
    "distance": lambda: distance(Box((1, 1, 1)), np.eye(4), Cylinder(0.2, 0.3), np.eye(4)),
    "cast": lambda: shape_cast(Box((1, 1, 1)), np.eye(4), (1, 0, 0), Cylinder(0.2, 0.3), np.eye(4)),
    "overlap": lambda: WORLD.overlap_test(Box((1, 1, 1)), np.eye(4)),
    "nearest": lambda: WORLD.nearest(Box((1, 1, 1)), np.eye(4)),
    "ray": lambda: WORLD.ray_test((0, 0, 5), (0, 0, -1)),
    "numbers": lambda: Box((1, 2, 3)),
    "arrays": lambda: Transform(rotation=[[1, 0, 0], [0, 1, 0], [0, 0, 1]], translation=(1, 2, 3)),
}


@pytest.mark.parametrize("error", [Interrupt, TimeIsUpError, TimeoutError])
@pytest.mark.parametrize("name", CALLS)
def test_what_a_handler_raises_comes_out(name, error):
    call = CALLS[name]
    call()
    moments = lines_of(call)
    assert moments > 3
    assert all(interrupted(call, at, error) for at in range(moments))
