"""Shapes on bodies: checked where they are made and where they are put; no change of them is lost."""

import copy
import pickle

import numpy as np
import pytest

import rbdyn
from rbdyn import Geometry, Joint, Mechanism, Model, Revolute, RigidBody, SpatialInertia, State, Transform, World
from rbdyn.collision.shapes import Box, Sphere

BALL, CUBE = Geometry(Sphere(0.1), name="ball"), Geometry(Box((1, 2, 3)), name="cube")


@pytest.mark.parametrize(
    ("words", "values"),
    [
        ("shape of a Geometry must be one of .*HalfSpace.*Sphere", {"shape": "sphere"}),
        ("shape", {"shape": Sphere}),
        ("pose of a Geometry must be a Transform", {"pose": np.eye(4)}),
        ("pose", {"pose": None}),
        ("name of a Geometry must be a string", {"name": None}),
        ("material of a Geometry must be a non-empty string, got None", {"material": None}),
        ("material", {"material": 3}),
        ("group of a Geometry must be a whole number", {"group": 1.5}),
        ("group", {"group": 2**64}),
        ("mask", {"mask": "all"}),
        ("mask", {"mask": True}),
        ("color of a Geometry must be between 0 and 1", {"color": (2, 0, 0, 1)}),
        ("color", {"color": (0, 0, 1)}),
        ("color", {"color": "red!"}),
        ("color", {"color": 1.0}),
        ("color", {"color": (np.nan, 0, 0, 1)}),
    ],
)
def test_a_geometry_is_checked_when_it_is_made(words, values):
    with pytest.raises(rbdyn.MechanismError, match=words):
        Geometry(**{"shape": Sphere(0.1)} | values)


def test_no_name_is_that_of_the_default_material():
    assert Geometry(Sphere(0.1), material="").material == Geometry(Sphere(0.1)).material == "default"


def test_a_geometry_keeps_plain_values():
    item = Geometry(Sphere(0.1), name=np.str_("n"), material=np.str_("ice"), group=np.int64(2), color=np.ones(4))
    assert (item.name, item.material, item.group, item.color) == ("n", "ice", 2, (1.0, 1.0, 1.0, 1.0))
    assert {type(item.name), type(item.material)} == {str}
    assert type(item.group) is int
    moved = Geometry(Sphere(0.1), Transform(translation=(1, 0, 0))).moved(Transform(translation=(0, 2, 0)))
    assert moved.pose.translation.tolist() == [1, 2, 0]


CHANGES = {
    "append": lambda x: x.append(CUBE),
    "insert": lambda x: x.insert(0, CUBE),
    "extend": lambda x: x.extend([CUBE, CUBE]),
    "+=": lambda x: x.__iadd__([CUBE]),
    "[0] =": lambda x: x.__setitem__(0, CUBE),
    "[:] =": lambda x: x.__setitem__(slice(None), [CUBE]),
    "del": lambda x: x.__delitem__(0),
    "pop": lambda x: x.pop(),
    "remove": lambda x: x.remove(BALL),
    "clear": lambda x: x.clear(),
    "reverse": lambda x: x.reverse(),
}


@pytest.mark.parametrize("which", ["collision", "visual"])
@pytest.mark.parametrize("change", CHANGES)
def test_every_change_is_an_edit(which, change):
    body = RigidBody("ball", SpatialInertia(1.0))
    setattr(body, which, [BALL, BALL])
    plain = [BALL, BALL]
    m = Mechanism(RigidBody("world"))
    m.attach("world", body, Joint("hinge", Revolute()))
    state = State(Model(m))
    CHANGES[change](getattr(body, which))
    CHANGES[change](plain)
    assert getattr(body, which) == plain
    with pytest.raises(rbdyn.StaleModelError):
        rbdyn.body_pose(state, "ball")


def test_an_edit_of_a_robot_in_a_world_is_not_lost():
    """It was: the World collided with what the list held at the beginning, and no word of it.  It is taken in now."""
    m = Mechanism(RigidBody("world"))
    ball = RigidBody("ball", SpatialInertia(1.0, inertia=np.eye(3)), [BALL])
    m.attach("world", ball, Joint("free", rbdyn.Floating()))
    world = World()
    m = world.add_articulated_system(m).mechanism
    world.step()
    m.find_body("ball").collision.append(CUBE)
    world.step()
    assert [world.collision.shape(k) for k in world.collision.ids] == [BALL.shape, CUBE.shape]


@pytest.mark.parametrize("bad", ["ball", None, 3, Sphere(0.1), [Sphere(0.1)], [BALL, None], [BALL, "ball"]])
def test_other_things_are_refused_at_once(bad):
    for name in ("collision", "visual"):
        with pytest.raises(rbdyn.MechanismError, match=f"{name} of body 'b' must"):
            RigidBody("b", **{name: bad})
        body = RigidBody("b", **{name: [BALL]})
        items = getattr(body, name)
        for put in (
            lambda body=body, name=name: setattr(body, name, bad),
            lambda items=items: items.append(bad),
            lambda items=items: items.insert(0, bad),
            lambda items=items: items.__setitem__(0, bad),
            lambda items=items: items.extend(bad),
            lambda items=items: items.__setitem__(slice(0, 1), bad),
        ):
            with pytest.raises(rbdyn.MechanismError, match=f"{name} of body 'b' must"):
                put()
        assert getattr(body, name) == [BALL]


def test_shapes_of_copies_are_their_own():
    body = RigidBody("b", collision=[BALL])
    for twin in (body.copy(), copy.copy(body), copy.deepcopy(body), pickle.loads(pickle.dumps(body))):
        assert twin.collision == [BALL]
        twin.collision.append(CUBE)
        assert twin.collision == [BALL, CUBE]
    assert body.collision == [BALL]
    body.visual = body.collision  # the same shapes, another list
    body.visual.append(CUBE)
    assert body.collision == [BALL]
    assert repr(body.collision) == repr([BALL])
    assert body.collision != "ball"
