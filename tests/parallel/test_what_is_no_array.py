"""Rows of different lengths, and other things that are no arrays: our errors, which name the argument."""

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.parallel import VectorWorld
from rbdyn.world import World

RAGGED = [[1.0], [2.0, 3.0]]
DEEP = [RAGGED, [1.0]]


def build(k=0):
    world = World(1e-3)
    world.add_ground()
    world.add_box(0.1, 0.1, 0.1, 1.0, name="box")
    world.add_articulated_system(models.quadruped(), name="dog")
    return world


CALLS = {
    "where": (
        lambda w, x: w.reset(where=x),
        lambda w, x: w.step(where=x),
        lambda w, x: w.restore(w.snapshot(), where=x),
        lambda w, x: w.find("box").set_pose((0.0, 0.0, 1.0), where=x),
        lambda w, x: w.find("dog").set_state(v=np.zeros(18), where=x),
        lambda w, x: w.find("dog").body_poses(where=x),
        lambda w, x: w.seed(1, where=x),
    ),
    "seed": (lambda w, x: w.seed(x),),
    "gravity": (lambda w, x: w.set_gravity(x),),
    "position": (lambda w, x: w.find("box").set_pose(x), lambda w, x: w.worlds[0].add_height_map(np.eye(3), (1, 1), x)),
    "linear": (lambda w, x: w.find("box").set_velocity(x),),
    "force": (lambda w, x: w.find("box").set_external_force(x),),
    "tau": (lambda w, x: w.find("dog").set_generalized_force(x),),
    "q": (lambda w, x: w.find("dog").set_state(q=x),),
    "controls": (lambda w, x: rbdyn.parallel.rollout(build(), None, x),),
    "heights": (
        lambda w, x: w.worlds[0].add_height_map(x, (1.0, 1.0)),
        lambda w, x: rbdyn.collision.HeightMap(x, (1, 1)),
    ),
    "times": (lambda w, x: rbdyn.recording_of(models.double_pendulum(), x, np.zeros((2, 2))),),
}


@pytest.fixture(scope="module")
def vector():
    return VectorWorld(build, 2)


@pytest.mark.parametrize("wrong", [RAGGED, DEEP, "abc", [[None]], [1j, 2j], [2**70, 1.5]], ids=lambda x: str(x)[:20])
@pytest.mark.parametrize("name", CALLS)
def test_the_argument_is_named(vector, name, wrong):
    before = [world.state_hash() for world in vector.worlds]
    for call in CALLS[name]:
        with pytest.raises(rbdyn.Error, match=name):
            call(vector, wrong)
    assert [world.state_hash() for world in vector.worlds] == before


@pytest.mark.parametrize("wrong", [None, 1.5, object(), {1: 2}, "12", True, [1, 2.0], [1], -1])
def test_seeds(vector, wrong):
    with pytest.raises(rbdyn.Error, match="seed"):
        vector.seed(wrong)


@pytest.mark.parametrize("n", [0, 100_001, 2**31, 2**63, 10**400, 1e5])
def test_how_many(n):
    """No copy is made of what would be too many."""
    with pytest.raises(rbdyn.Error, match="n must be a whole number, from 1 to 100000"):
        VectorWorld(build(), n)
