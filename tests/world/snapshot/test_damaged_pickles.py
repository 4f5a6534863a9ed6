"""Pickles of Worlds have a layout and a checksum: what is not what was written is never read into memory."""

import copy
import math
import pickle

import numpy as np
import pytest
from world.snapshot import worlds

import rbdyn
from rbdyn.contact import BisectionSolver
from rbdyn.errors import SnapshotError
from rbdyn.world import World

WORLDS = (worlds.tied, worlds.walking, worlds.tumbling)


def pickled(make):
    """The function that reads a World, its arguments, and the World's state hash."""
    world = make()
    world.step(20)
    function, arguments, functions = world.__reduce__()
    return function, copy.deepcopy(arguments), world.state_hash(), copy.deepcopy(functions, {id(world): None})


def changed(value):
    """The least change of one value."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value ^ 1
    if isinstance(value, float):
        return math.nextafter(value, math.inf)
    if isinstance(value, str):
        return value + "x"
    if isinstance(value, bytes):
        place = len(value) // 2
        return value[:place] + bytes([value[place] ^ 4]) + value[place + 1 :] if value else b"\0"
    return 7 if value is None else None


def changes(value):
    """The value with one leaf changed, for each of its leaves, and with one item less."""
    if isinstance(value, dict):
        for key, item in value.items():
            for other in changes(item):
                yield value | {key: other}
        if value:
            yield dict(list(value.items())[:-1])
    elif isinstance(value, (list, tuple)):
        for k, item in enumerate(value):
            for other in changes(item):
                yield type(value)([*value[:k], other, *value[k + 1 :]])
        if value:
            yield value[:-1]
    elif value is None or isinstance(value, (bool, int, float, str, bytes)):
        yield changed(value)


@pytest.mark.parametrize("make", WORLDS)
def test_every_value_is_checked(make):
    """Numbers, names and bytes, one at a time; of long lists some."""
    function, (cls, base, parts, layout, told), _, _ = pickled(make)
    others = list(changes(parts))
    assert len(others) > 100
    for other in others[:: max(1, len(others) // 300)]:
        with pytest.raises(SnapshotError, match="damaged"):
            function(cls, base, other, layout, told)


def test_objects_are_checked_too():
    """Sizes of shapes, masses, joints and what solvers remember; the World of the same parts is the same one."""
    function, (cls, base, parts, layout, told), wanted, functions = pickled(worlds.tied)
    twin = function(cls, base, copy.deepcopy(parts), layout, told)
    twin.__setstate__(functions)
    assert twin.state_hash() == wanted

    def robot(parts):
        return next(what for _, (kind, what) in parts["objects"] if kind == "articulated system")

    def heavier(parts):
        body = robot(parts).bodies[-1]
        body.inertia = body.inertia.with_mass(np.nextafter(body.inertia.mass, 9.0))

    def damped(parts):
        robot(parts).tree_joints[-1].damping = 0.125

    def warmed(parts):
        parts["backends"][1].configure(max_iterations=149)

    def larger(parts):
        records, shapes, excluded = parts["collision"]
        parts["collision"] = (records, [rbdyn.collision.Sphere(9.0), *shapes[1:]], excluded)

    for change in (heavier, damped, warmed, larger):
        other = copy.deepcopy(parts)
        change(other)
        with pytest.raises(SnapshotError, match="damaged"):
            function(cls, base, other, layout, told)


def test_layouts():
    """Another layout, or none as pickles had before, is said before anything is looked at."""
    function, (cls, base, parts, layout, told), _, _ = pickled(worlds.tied)
    for other in (None, (0, *layout[1:]), (*layout[:-1], 4)):
        with pytest.raises(SnapshotError, match="layout.*pickle it anew"):
            function(cls, base, {}, other, told)
    with pytest.raises(SnapshotError, match="layout"):
        function(cls, base, parts)


def test_flipped_bits(seed):
    """Where memory of the World stands in the pickle, any bit that flips is found; elsewhere it ends in an error."""
    world = WORLDS[seed % 3]()
    world.step(10)
    data = pickle.dumps(world)
    parts = world.__reduce__()[1][2]
    rng = np.random.default_rng(seed)
    for key in ("content", "bodies", "material"):
        start = data.find(parts[key])
        assert start > 0 and len(parts[key]) > 10
        for place in rng.integers(start, start + len(parts[key]), 8):
            wrong = bytearray(data)
            wrong[place] ^= 1 << rng.integers(8)
            with pytest.raises(SnapshotError, match="damaged"):
                pickle.loads(bytes(wrong))


class Odd(BisectionSolver):
    """A solver of one's own, with what this library knows nothing of."""


def test_objects_of_others():
    """Are pickled and copied as they say, and shared with what is pickled beside the World."""
    solver = Odd()
    solver.note = {"anything": [object, print, {1, 2}, np.arange(3)]}
    world = World(contact=solver)
    world.add_ground()
    world.step()
    for twin, own in (pickle.loads(pickle.dumps((world, solver))), copy.deepcopy((world, solver))):
        assert twin.contact is own is not solver
        assert type(own) is Odd and own.note["anything"][2] == {1, 2}
        assert twin.state_hash() == world.state_hash()
