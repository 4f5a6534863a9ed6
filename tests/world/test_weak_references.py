"""What Worlds are made of can be referred to weakly, as keys of caches are."""

import gc
import weakref

import pytest

import rbdyn
from rbdyn import models
from rbdyn.collision import NativeBackend
from rbdyn.contact import BisectionSolver, PGSSolver
from rbdyn.parallel import VectorWorld
from rbdyn.world import World


def ball():
    world = World()
    world.add_sphere(0.1, 1.0)
    return world


MADE = {
    "solver": BisectionSolver,
    "another solver": PGSSolver,
    "backend": NativeBackend,
    "model": lambda: rbdyn.Model(models.double_pendulum()),
    "state": lambda: rbdyn.State(rbdyn.Model(models.double_pendulum())),
    "mechanism": models.double_pendulum,
    "world": World,
    "snapshot": lambda: World().snapshot(),
    "vector world": lambda: VectorWorld(World(), 2),
    "vector body": lambda: VectorWorld(ball(), 2).bodies[0],
}


@pytest.mark.parametrize("name", MADE)
def test_it_dies_with_the_last_reference(name):
    """The reference gives the object while it lives, and None after that; a weak dictionary forgets it."""
    thing = MADE[name]()
    reference, known = weakref.ref(thing), weakref.WeakKeyDictionary({thing: name})
    assert reference() is thing and known[thing] == name
    del thing
    gc.collect()
    assert reference() is None and not known


def test_parts_of_a_world():
    """Those of a World that steps."""
    world = World(1e-3)
    robot = world.add_articulated_system(models.quadruped())
    world.step(3)
    for part in (world.contact, world.collision, robot.model, robot.state, robot):
        assert weakref.ref(part)() is part
