"""Large mechanisms, memory that grows with the bodies and not with their square, and no allocation per call."""

import gc
import os
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from algorithms.calls import OUTPUTS
from algorithms.systems import in_motion, random_system
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import random_tree

STATM = Path("/proc/self/statm")


def chain(n, angle=0.0):
    """n links of 0.2 m and 1 kg, hanging down, hinged about x and y in turn."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    link = rbdyn.SpatialInertia(1.0, (0, 0, -0.1), np.diag([0.01, 0.01, 0.002]))
    below = rbdyn.Transform(rpy=(angle, 0, 0), translation=(0, 0, -0.2))
    for k in range(n):
        axis = (1, 0, 0) if k % 2 else (0, 1, 0)
        m.attach(m.bodies[-1], rbdyn.RigidBody(f"b{k}", link), rbdyn.Joint(f"j{k}", Revolute(axis)), below)
    return m


@pytest.fixture(scope="module")
def long_chain():
    return rbdyn.Model(chain(1000))


def test_a_chain_of_a_thousand_joints(long_chain):
    """ABA and RNEA undo each other, and the weight at the top is the weight of all links."""
    rng = np.random.default_rng(0)
    state = rbdyn.State(long_chain)
    q, v = 0.02 * rng.normal(size=1000), 0.1 * rng.normal(size=1000)
    state.set(q, v)
    vd = rng.normal(size=1000)
    tau = rbdyn.inverse_dynamics(state, vd)
    nontrivial(tau, 100.0)
    close(rbdyn.forward_dynamics(state, tau), vd, 1e-6)  # the condition number of M is some 1e9
    close(rbdyn.mass_matrix(state) @ vd + rbdyn.bias_forces(state), tau, 1e-11)
    close(rbdyn.mass_matrix_times(state, vd), tau - rbdyn.bias_forces(state), 1e-11)
    lift = rbdyn.point_jacobian(state, "b0").T @ [0, 0, 1000 * 9.81]
    straight = rbdyn.State(long_chain)
    close(rbdyn.bias_forces(straight), np.zeros(1000), 1e-9)
    assert lift.shape == (1000,)
    close(rbdyn.center_of_mass(straight), [0, 0, -0.2 * 500.5 - 0.1], 1e-13)
    close(rbdyn.kinetic_energy(state), 0.5 * v @ rbdyn.mass_matrix_times(state, v), 1e-12)


def test_thousand_bodies_on_one_root():
    """A star: the mass matrix is diagonal and every joint has its own pendulum."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    bob = rbdyn.SpatialInertia(2.0, (0.5, 0, 0))
    for k in range(1000):
        m.attach(m.root_body, rbdyn.RigidBody(f"b{k}", bob), rbdyn.Joint(f"j{k}", Revolute((0, 1, 0))))
    state = rbdyn.State(rbdyn.Model(m))
    q = np.linspace(-3, 3, 1000)
    state.set(q)
    close(rbdyn.mass_matrix(state), 0.5 * np.eye(1000), 1e-14)
    close(rbdyn.forward_dynamics(state, np.zeros(1000)), 9.81 * np.cos(q) / 0.5, 1e-13)


def resident():
    """Resident memory of this process [bytes]."""
    gc.collect()
    return int(STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not STATM.exists(), reason="needs /proc")
def test_memory_of_a_state_is_linear():
    """Twenty States of 1000 joints; a dense matrix in each would take 160 MB."""
    model = rbdyn.Model(chain(1000))
    tau = np.zeros(1000)

    def used():
        state = rbdyn.State(model)
        rbdyn.forward_dynamics(state, tau)
        rbdyn.inverse_dynamics(state, tau)
        rbdyn.momentum(state)
        return state

    used()
    before = resident()
    states = [used() for _ in range(20)]
    grown = resident() - before
    assert grown < 60e6, f"{grown / 20e6:.1f} MB for a state of 1000 joints"
    assert len(states) == 20


CALLS = OUTPUTS | {
    "difference": lambda s, out: rbdyn.difference(s.model, s.state_q, s.state.q, out=out),
    "set": lambda s, out: s.state.set(s.state_q, s.state_v),
    "kinetic_energy": lambda s, out: rbdyn.kinetic_energy(s.state),
    "potential_energy": lambda s, out: rbdyn.potential_energy(s.state),
    "loaded": lambda s, out: rbdyn.forward_dynamics(s.state, s.tau, s.external, out=out),
}


@pytest.fixture(scope="module")
def large():
    """So large that any forgotten array is seen: 60 bodies, more than 100 degrees of freedom."""
    rng = np.random.default_rng(2)
    s = in_motion(rng, random_tree(rng, 60, [Revolute, Prismatic, Planar, Spherical], floating_base=True))
    s.state_q, s.state_v = s.state.q.copy(), s.state.v.copy()
    assert s.model.nv > 100
    return s


def peak(call, times):
    """Most memory that `times` calls held at any moment above the start [bytes]."""
    gc.collect()
    tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        start = tracemalloc.get_traced_memory()[0]
        for _ in range(times):
            call()
        return tracemalloc.get_traced_memory()[1] - start
    finally:
        tracemalloc.stop()


FACTORED = ("solve_mass_matrix", "inverse_mass_matrix")


@pytest.mark.parametrize("name", CALLS)
def test_no_allocation(large, name):
    """With out=, neither 10 nor 2,000 calls hold as much as one vector, and the latter no more than the former."""
    few, many = 10, 500 if "mass_matrix" in name or "derivatives" in name else 2000
    out = CALLS[name](large, None)
    if not isinstance(out, np.ndarray):
        out = None

    def call():
        large.state.set(large.state_q, large.state_v)  # so that every call has its work to do
        CALLS[name](large, out)

    call()
    first, then = peak(call, few), peak(call, many)
    assert then <= first + 200
    assert first < 8 * large.model.nv


def test_no_references_leak():
    """Neither from calls that succeed nor from those that fail."""
    s = random_system(40, n=5)
    s.state_q, s.state_v = s.state.q.copy(), s.state.v.copy()
    outs = {name: call(s, None) for name, call in CALLS.items()}
    outs = {name: out for name, out in outs.items() if isinstance(out, np.ndarray)}
    watched = [s.state, s.model, s.mechanism, s.vd, s.tau, s.external, *s.external.values(), *outs.values()]

    def use():
        for name, call in CALLS.items():
            call(s, outs.get(name))
        for bad in ({"nobody": np.zeros(6)}, {s.model.body_names[-1]: s.vd}):
            with pytest.raises(rbdyn.Error):
                rbdyn.bias_forces(s.state, {**s.external, **bad})
        with pytest.raises((rbdyn.Error, TypeError)):
            rbdyn.inverse_dynamics(s.state, s.vd, out=s.external)
        with pytest.raises((rbdyn.Error, TypeError)):
            s.state.set(s.state_q, s.external)

    use()
    gc.collect()
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(50):
        use()
    gc.collect()
    assert [sys.getrefcount(x) for x in watched] == before


@pytest.mark.skipif(not STATM.exists(), reason="needs /proc")
def test_models_are_freed():
    """Compiled and dropped, also after an error: what C allocated goes back."""
    m = chain(30)

    def make():
        model = rbdyn.Model(m)
        with pytest.raises(rbdyn.Error):
            model.joint_q_index("nobody")

    assert growth(make, 100) < 1e6


def test_states_are_freed():
    model = rbdyn.Model(chain(1))
    states = [rbdyn.State(model) for _ in range(10)]
    gc.collect()
    before = sys.getrefcount(model)
    del states
    gc.collect()
    assert sys.getrefcount(model) == before - 10


@pytest.mark.skipif(not STATM.exists(), reason="needs /proc")
def test_the_workspaces_of_states_are_freed():
    model = rbdyn.Model(chain(100))

    def make():
        state = rbdyn.State(model)
        rbdyn.forward_dynamics(state, np.zeros(100))
        rbdyn.mass_matrix(state)
        with pytest.raises(rbdyn.Error):
            state.set(np.zeros(99))
        state.copy()

    assert growth(make, 200) < 4e6


def growth(make, times):
    """Resident memory that stays behind [bytes]."""
    for _ in range(20):
        make()
    before = resident()
    for _ in range(times):
        make()
    return resident() - before
