"""Attributes that people guess: the AttributeError says what to write, and that is there."""

import copy
import re

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.world import World, hints


def things():
    world = World(1e-3)
    world.add_ground()
    robot = world.add_articulated_system(models.path("quadruped"), name="dog")
    ball = world.add_sphere(0.1, 1.0)
    wire = world.add_stiff_wire(ball, None, length=2.0, point_b=(0, 0, 2))
    return {
        "world": world, "robot": robot, "obj": ball, "wire": wire, "joint": robot.joint("LF_KFE"),
        "body": robot.body("LF_SHANK"), "frame": robot.frame("LF_FOOT"), "geometry": robot.geometries[0],
    }  # fmt: skip


TABLES = {
    "world": hints.WORLD, "robot": hints.ROBOT, "obj": hints.BALL, "wire": hints.WIRE, "joint": hints.JOINT,
    "body": hints.BODY | hints.MOVING, "frame": hints.FRAME | hints.MOVING, "geometry": hints.GEOMETRY,
}  # fmt: skip


@pytest.mark.parametrize("kind", TABLES)
def test_what_cannot_be_set_says_what_to_write(kind):
    """Each name of its table is refused with its advice, if it is not there or has no setter; nothing is changed."""
    there = things()
    obj, before = there[kind], there["world"].state_hash()
    for name, advice in TABLES[kind].items():
        with pytest.raises(AttributeError, match=re.escape(advice)) as caught:
            setattr(obj, name, 3.0)
        assert repr(name) in str(caught.value) and type(obj).__name__ in str(caught.value)
        if not hasattr(type(obj), name):
            with pytest.raises(AttributeError, match=re.escape(advice)):
                getattr(obj, name)
            assert not hasattr(obj, name)
    assert there["world"].state_hash() == before


@pytest.mark.parametrize("kind", TABLES)
def test_what_is_advised_is_there(kind):
    there = things()
    found = 0
    for advice in TABLES[kind].values():
        for owner, name, then in re.findall(r"\b(world|robot|obj|joint|body|geometry)\.(\w+)(.?.?)", advice):
            assert hasattr(there[owner], name), f"{owner}.{name}"
            kinds = type(there[owner])
            if then == " =":
                assert getattr(kinds, name).__set__ is not None
            found += 1
    assert found >= 1


def test_other_names_and_errors_stay_as_they_are():
    there = things()
    for kind, obj in there.items():
        with pytest.raises(AttributeError, match="no attribute 'colour_of_money'"):
            obj.colour_of_money  # noqa: B018
        with pytest.raises(AttributeError, match=f"'colour_of_money' of {type(obj).__name__} is no attribute$"):
            obj.colour_of_money = 3
        assert not hasattr(obj, "__array__"), kind
    there["joint"].friction = 0.3
    there["obj"].mass = 2.0
    there["world"].time_step = 2e-3
    assert (there["joint"].friction, there["obj"].mass, there["world"].time_step) == (0.3, 2.0, 2e-3)
    with pytest.raises(rbdyn.Error, match="mass"):
        there["obj"].mass = -1.0


def test_classes_of_users_keep_their_attributes():
    class Mine(World):
        pass

    world = Mine(1e-3)
    world.friend = 3
    assert world.friend == 3 and copy.deepcopy(world).friend == 3
    with pytest.raises(AttributeError, match="time_step"):
        world.dt  # noqa: B018
    del world.friend
    assert not hasattr(world, "friend")


def test_the_effort_of_a_joint_is_what_its_actuator_applied():
    there = things()
    there["joint"].force = 2.5
    there["world"].step()
    assert there["joint"].effort == pytest.approx(2.5, abs=1e-9)
    assert there["joint"].effort == there["joint"].applied_force
    base = there["robot"].joints[0]
    assert np.shape(base.effort) == (6,) and not np.any(base.effort)
