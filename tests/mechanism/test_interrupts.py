"""Ctrl-C at any moment of an edit of a mechanism: it is what it was, or what the edit makes of it; Models know."""

import functools

import numpy as np
import pytest
from interrupting import check_released, interrupted, lines_of, raised, set_nomemory, starved
from world.surgery.robots import floating

from rbdyn import (
    Fixed,
    Geometry,
    Joint,
    Model,
    Revolute,
    RigidBody,
    SpatialInertia,
    State,
    Transform,
    bias_forces,
    mass_matrix,
)
from rbdyn.collision import Box
from rbdyn.contact import MaterialPair, MaterialTable
from rbdyn.mechanism._revision import GONE, Revision, put_all

POSE = Transform(translation=(0.1, 0.02, -0.03))
BOX = Geometry(Box((0.1, 0.2, 0.3)))


def _set(thing, name, value):
    setattr(thing, name, value)


EDITS = {
    "attach": lambda m: m.attach("a1", RigidBody("new"), Joint("new_j", Revolute())),
    "attach a mechanism": lambda m: m.attach_mechanism("a1", floating("c", 2, 1), prefix="p_"),
    "remove": lambda m: m.remove_joint("loop"),
    "split": lambda m: m.remove_joint("a1_j", split=True),
    "subtree": lambda m: m.remove_subtree("a1_j"),
    "replace": lambda m: m.replace_joint("a1_j", Joint("other", Revolute((0, 1, 0)))),
    "fixed": lambda m: m.remove_fixed_tree_joints(),
    "rebuild": lambda m: m.rebuild_spanning_tree(),
    "place": lambda m: m.place_joint("a1_j", POSE),
    "gravity": lambda m: _set(m, "gravity", (0.0, 1.0, 2.0)),
    "damping": lambda m: _set(m.find_joint("a1_j"), "damping", 0.7),
    "axis": lambda m: _set(m.find_joint("fixed_end"), "friction", 0.0),
    "inertia": lambda m: _set(m.find_body("a1"), "inertia", SpatialInertia(3.0, (0.1, 0.0, 0.0), np.eye(3))),
    "add a shape": lambda m: m.find_body("a1").collision.append(BOX),
    "other shapes": lambda m: m.find_body("a1").collision.__setitem__(slice(None), [BOX, BOX]),
    "no shape": lambda m: m.find_body("a1").collision.clear(),
}


def robot():
    """A floating tree with a body that is fixed to it, and a Model of it that was in use."""
    m = floating("a", 4, 3)
    m.attach("a3", RigidBody("end", SpatialInertia(0.3, inertia=0.01 * np.eye(3))), Joint("fixed_end", Fixed()), POSE)
    m.attach("a2", m.find_body("a3"), Joint("loop", Revolute((0, 0, 1))))
    return m, Model(m)


def seen(m):
    """All that says what it is, and what a new Model computes from it."""
    graph = [(j.name, type(j.joint_type).__name__, j.damping, m.predecessor(j).name, m.successor(j).name,
              m.edge(j).joint_pose.matrix.tolist(), m.edge(j).successor_pose.matrix.tolist()) for j in m.joints]
    bodies = [(b.name, repr(b.inertia), len(b.collision), sorted(map(str, b.frames))) for b in m.bodies]
    model = Model(m)
    rng = np.random.default_rng(0)
    state = State(model)
    state.set(v=rng.normal(size=model.nv))
    return graph, bodies, m.gravity.tolist(), mass_matrix(state).tolist(), bias_forces(state).tolist()


@functools.cache
def outcomes(name):
    m, _ = robot()
    before = seen(m)
    moments = lines_of(lambda: EDITS[name](m))
    return before, seen(m), moments


WAYS = {"signal": interrupted, "traced": raised, "sent": lambda call, at: raised(call, at, True)}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", EDITS)
def test_an_interrupt_at_any_moment_leaves_a_whole_mechanism(name, way, seed):
    before, after, moments = outcomes(name)
    rng = np.random.default_rng([seed, *name.encode()])
    for at in rng.integers(moments, size=8):
        m, model = robot()
        structure, revision = m.structure, m.revision
        WAYS[way](lambda m=m: EDITS[name](m), at)
        check_released(m)
        now = seen(m)
        assert now in (before, after)
        if now != before:
            assert m.revision > revision
            assert (m.structure != structure) == (now[0] != before[0] and name not in ("place", "damping"))
        m.attach("a0", RigidBody("last"), Joint("last_j", Revolute()))
        assert Model(m).nv == m.num_velocities


@pytest.mark.parametrize("name", EDITS)
def test_a_raise_at_every_moment_leaves_a_whole_mechanism(name, seed):
    """All that the mechanism says, at every eighth moment; make nightly meets all of them."""
    before, after, moments = outcomes(name)
    for at in range(seed % 8, moments, 8):
        m, _ = robot()
        raised(lambda m=m: EDITS[name](m), at)
        assert seen(m) in (before, after)
        check_released(m)


@pytest.mark.skipif(set_nomemory is None, reason="needs _testcapi")
def test_changes_are_carried_out_together_or_not_at_all():
    """Each allocation fails in turn: of dicts that grow, of lists, of numbers.

    NumPy 2 ends the process where one of its own allocations fails, so that no whole edit is tried.
    """
    done = set()
    for at in range(1, 60):
        entries, items, counter = {"old": 1, "gone": 2}, [0], Revision(1000)
        changes = [(entries, f"key{k}", k) for k in range(40)] + [(items, None, k) for k in range(40)]
        changes += [(entries, "old", 3), (entries, "gone", GONE), (counter, None, None), (counter, None, 5000)]
        came = starved(lambda changes=changes: put_all(changes), at)
        now = len(entries), len(items), counter.value, entries.get("gone")
        assert now == ((2, 1, 1000, 2) if came else (41, 41, 5000, None))
        assert list(entries)[:1] == ["old"]
        done.add(came)
    assert done == {False, True}


def test_an_interrupt_leaves_a_whole_table_of_materials():
    """The pairs and the number by which copies know that these changed go together."""
    one, other = MaterialPair(friction=0.1), MaterialPair(friction=0.2)
    for edit in (lambda t: t.set("a", "b", other), lambda t: _set(t, "default", other),
                 lambda t: t.replace(other, {("a", "c"): one})):
        table = MaterialTable(one)
        for at in range(lines_of(lambda edit=edit: edit(MaterialTable(one)))):
            table = MaterialTable(one)
            interrupted(lambda edit=edit, table=table: edit(table), at)
            changed = table.default != one or table.pairs() != {}
            assert changed == (table.revision != 0)
