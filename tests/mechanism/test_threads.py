"""Two threads and one mechanism: an edit is done, or refused as a whole."""

import random
import sys
import threading

import numpy as np
import pytest

import rbdyn
from rbdyn import Joint, Mechanism, Model, Revolute, RigidBody, Spherical
from rbdyn.testing.random_mechanisms import random_tree


def waiting_edit(m):
    """An edit in a thread of its own that waits in the middle; call what is returned to let it end."""
    inside, go = threading.Event(), threading.Event()

    def next_edge(joints):
        inside.set()
        assert go.wait(30)
        return joints[0]

    thread = threading.Thread(target=m.rebuild_spanning_tree, args=(next_edge,))
    thread.start()
    assert inside.wait(30)

    def end():
        go.set()
        thread.join(30)
        assert not thread.is_alive()

    return end


def test_a_second_editor_is_refused_and_leaves_no_trace():
    m = Mechanism(RigidBody("world"))
    a = RigidBody("a")
    m.attach("world", a, Joint("one", Revolute()))
    m.attach("world", a, Joint("two", Spherical()))
    other = Mechanism(RigidBody("base"))
    before = repr(m), m.revision
    end = waiting_edit(m)
    try:
        for edit in (
            lambda: m.attach("a", RigidBody("b"), Joint("three", Revolute())),
            lambda: m.attach_mechanism("a", other, prefix="p_"),
            lambda: other.attach_mechanism("base", m, prefix="p_"),
            lambda: m.submechanism("a"),
            lambda: m.remove_joint("one"),
            lambda: m.remove_joint("one", split=True),
            lambda: m.remove_subtree("one"),
            lambda: m.replace_joint("one", Joint("new", Revolute())),
            m.remove_fixed_tree_joints,
            m.rebuild_spanning_tree,
            m.maximal_coordinates,
            m.copy,
            lambda: Model(m),
        ):
            with pytest.raises(rbdyn.BusyError, match="mechanism 'world' is edited by another thread"):
                edit()
        assert (repr(m), m.revision) == before
        assert repr(other).startswith("Mechanism('base': 1 bodies")
    finally:
        end()
    m.attach("a", RigidBody("b"), Joint("three", Revolute()))
    assert m.copy().find_body("b").name == "b"


def test_many_threads_leave_a_whole_mechanism():
    """Without a lock: KeyErrors, and joints without bodies."""
    m = random_tree(np.random.default_rng(0), 5)
    strange, done = [], []

    def edit(k):
        rng = random.Random(k)
        for n in range(150):
            name = f"t{k}_{n}"
            try:
                m.attach(rng.choice(m.bodies[:6]), RigidBody(name), Joint(name, Revolute()))
                done.append(name)
                if rng.random() < 0.5:
                    m.remove_subtree(name)
                    done.remove(name)
            except rbdyn.BusyError:
                pass
            except Exception as error:
                strange.append(error)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=edit, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
    finally:
        sys.setswitchinterval(interval)
    assert not strange
    assert {j.name for j in m.tree_joints} == {f"joint{k}" for k in range(1, 6)} | set(done)
    assert [m.successor(j) for j in m.tree_joints] == list(m.bodies[1:])
    assert Model(m).nv == m.num_velocities
