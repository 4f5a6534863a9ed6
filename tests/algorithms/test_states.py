"""Models and States as objects: bare ones, stale ones, copies, and what a State remembers between calls."""

import copy
import gc
import pickle

import numpy as np
import pytest
from algorithms.calls import OUTPUTS
from algorithms.systems import random_system

import rbdyn
from rbdyn.mechanism import Planar, Prismatic, Revolute, Spherical


@pytest.fixture(scope="module")
def system():
    return random_system(21, n=6, joint_types=[Revolute, Planar, Spherical, Prismatic], floating_base=True)


@pytest.mark.parametrize("bad", [None, 1, "state", object(), np.zeros(3)])
def test_what_is_no_state(system, bad):
    for function in (rbdyn.mass_matrix, rbdyn.bias_forces, rbdyn.momentum, rbdyn.kinetic_energy, rbdyn.center_of_mass):
        with pytest.raises((rbdyn.Error, TypeError)):
            function(bad)
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.forward_dynamics(bad, system.tau)
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.integrate(bad, system.state.q, system.state.v)
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.Model(bad)
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.State(bad)


def attributes(thing):
    return [name for name in dir(type(thing)) if not name.startswith("__")]


def poke(thing):
    """Use every attribute and method: anything but a crash will do."""
    for name in [*attributes(thing), "__repr__", "__reduce__", "__str__", "__hash__", "__sizeof__"]:
        try:
            value = getattr(thing, name)
        except Exception:  # noqa: BLE001, S112
            continue
        for args in ((), ("joint1",), ("body1",), (np.zeros(3), np.zeros(3)), (None,)):
            try:
                if callable(value):
                    value(*args)
            except Exception:  # noqa: BLE001
                pass


@pytest.mark.filterwarnings("ignore")
def test_objects_made_without_init_raise_and_never_crash(system):
    model, state = rbdyn.Model.__new__(rbdyn.Model), rbdyn.State.__new__(rbdyn.State)
    assert isinstance(repr(model) + repr(state), str)
    poke(model)
    poke(state)
    for call in OUTPUTS.values():
        fake = copy.copy(system)
        fake.state, fake.model = state, model
        with pytest.raises((rbdyn.Error, TypeError)):
            call(fake, None)
    for call in (rbdyn.kinetic_energy, rbdyn.potential_energy):
        with pytest.raises(rbdyn.Error):
            call(state)
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.State(model)
    with pytest.raises((rbdyn.Error, TypeError)):
        state.set([], [])
    del model, state
    gc.collect()


def test_convert_refuses_a_model_made_without_init():
    with pytest.raises((rbdyn.Error, TypeError)):
        rbdyn.convert(rbdyn.Model.__new__(rbdyn.Model), [], [], to="mujoco")


@pytest.mark.filterwarnings("ignore")
def test_a_good_state_survives_poking(system):
    state = rbdyn.State(system.model)
    poke(state)
    poke(system.model)
    for model in (None, system.model):  # a second initialisation would pull the arrays from under q and v
        with pytest.raises((rbdyn.Error, TypeError)):
            state.__init__(model)
    state.set(system.state.q, system.state.v)
    np.testing.assert_array_equal(rbdyn.bias_forces(state), rbdyn.bias_forces(system.state))


EDITS = {
    "attach": lambda m: m.attach(m.root_body, rbdyn.RigidBody("new"), rbdyn.Joint("new", rbdyn.Fixed())),
    "close a loop": lambda m: m.attach(m.bodies[1], m.bodies[-1], rbdyn.Joint("new", Spherical())),
    "gravity": lambda m: setattr(m, "gravity", (0, 0, 1)),
}


@pytest.mark.parametrize("edit", EDITS)
def test_a_model_is_stale_after_an_edit(edit):
    s = random_system(30, n=4, joint_types=[Revolute], floating_base=True)
    for call in OUTPUTS.values():
        call(s, None)
    EDITS[edit](s.mechanism)
    for name, call in OUTPUTS.items():
        with pytest.raises(rbdyn.StaleModelError):
            call(s, None)
            pytest.fail(f"{name} used a stale model")
    for call in (rbdyn.kinetic_energy, rbdyn.potential_energy):
        with pytest.raises(rbdyn.StaleModelError):
            call(s.state)
    with pytest.raises(rbdyn.StaleModelError):
        rbdyn.State(s.model)


def test_a_failed_edit_leaves_the_model_fresh():
    s = random_system(30, n=4, joint_types=[Revolute], floating_base=True)
    before = rbdyn.bias_forces(s.state)
    with pytest.raises(rbdyn.MechanismError):
        s.mechanism.attach(s.mechanism.root_body, rbdyn.RigidBody("body1"), rbdyn.Joint("new", Revolute()))
    np.testing.assert_array_equal(rbdyn.bias_forces(s.state), before)


def test_a_state_keeps_what_it_needs_alive():
    s = random_system(31)
    state, q, v = s.state, s.state.q, s.state.v
    expected = rbdyn.bias_forces(state)
    del s
    gc.collect()
    np.testing.assert_array_equal(rbdyn.bias_forces(state), expected)
    values = q.copy(), v.copy()
    del state
    gc.collect()
    np.testing.assert_array_equal(q, values[0])
    np.testing.assert_array_equal(v, values[1])


def pickled(state):
    return pickle.loads(pickle.dumps(state))


@pytest.mark.parametrize("duplicate", [rbdyn.State.copy, copy.copy, copy.deepcopy, pickled])
def test_copies_are_independent(duplicate):
    s = random_system(32)
    expected = rbdyn.bias_forces(s.state)
    twin = duplicate(s.state)
    np.testing.assert_array_equal(twin.q, s.state.q)
    np.testing.assert_array_equal(twin.v, s.state.v)
    np.testing.assert_array_equal(rbdyn.bias_forces(twin), expected)
    twin.set(s.model.neutral(), np.zeros(s.model.nv))
    np.testing.assert_array_equal(rbdyn.bias_forces(s.state), expected)
    assert not np.array_equal(twin.q, s.state.q)


def test_results_do_not_depend_on_what_was_asked_before():
    """What a State keeps between calls is never out of date: any order of calls and updates gives the same bits."""
    s = random_system(33, n=8)
    points = [(s.model.random(s.rng), s.rng.normal(size=s.model.nv)) for _ in range(3)]

    def fresh(name, i, j):
        other = copy.copy(s)
        other.state = rbdyn.State(s.model)
        other.state.set(points[i][0], points[j][1])
        return OUTPUTS[name](other, None)

    every = range(len(points))
    expected = {(name, i, j): fresh(name, i, j) for name in OUTPUTS for i in every for j in every}
    i = j = 0
    s.state.set(*points[0])
    for _ in range(1500):
        if s.rng.random() < 0.3:
            which = s.rng.integers(3)
            i, j = (int(s.rng.integers(3)) if which != 1 else i), (int(s.rng.integers(3)) if which != 0 else j)
            s.state.set(points[i][0], points[j][1])
        name = str(s.rng.choice(list(OUTPUTS)))
        np.testing.assert_array_equal(OUTPUTS[name](s, None), expected[name, i, j], err_msg=name)


def test_joint_of_a_degree_of_freedom():
    model = rbdyn.Model(rbdyn.rand_tree_mechanism([rbdyn.Revolute, rbdyn.Spherical, rbdyn.Prismatic], seed=3))
    starts = [(model.joint_v_index(name), name) for name in model.joint_names[1:]]
    for k in range(model.nv):
        owner = max(start for start in starts if start[0] <= k)[1]
        assert model.joint_of(k) == model.joint_of(np.int64(k)) == owner
    for bad in (-1, model.nv, None, "0", 0.0, True, np.zeros(2)):
        with pytest.raises(rbdyn.Error, match=f"k must be a degree of freedom, 0 to {model.nv - 1}"):
            model.joint_of(bad)


def test_what_is_not_set_stays():
    """As for a robot in a World: q alone keeps v."""
    state = rbdyn.State(rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute] * 3, 1)))
    state.set([0.1, 0.2, 0.3], [1.0, 2.0, 3.0])
    state.set([0.4, 0.5, 0.6])
    assert state.v.tolist() == [1.0, 2.0, 3.0] and state.q.tolist() == [0.4, 0.5, 0.6]
    rbdyn.update_kinematics(state, [0.7, 0.8, 0.9])
    assert state.v.tolist() == [1.0, 2.0, 3.0]
    state.set(v=[4.0, 5.0, 6.0])
    assert state.q.tolist() == [0.7, 0.8, 0.9]


def test_a_root_pose_is_copied_between_whole_states_only():
    whole, empty = (
        rbdyn.State(rbdyn.Model(rbdyn.rand_chain_mechanism([rbdyn.Revolute], 1))),
        rbdyn.State.__new__(rbdyn.State),
    )
    for a, b in ((whole, empty), (empty, whole)):
        with pytest.raises(rbdyn.StateError, match="without its model"):
            a.copy_root_pose(b)
