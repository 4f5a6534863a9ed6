"""A universal joint is two revolute ones with a body without mass between them, in every algorithm."""

import numpy as np
import pytest
from algorithms.calls import OUTPUTS
from algorithms.systems import System, in_motion
from reference.compare import close, nontrivial
from reference.in_series import in_series

import rbdyn
from rbdyn.mechanism import Floating, Planar, Prismatic, Revolute, Spherical, Universal
from rbdyn.testing.random_mechanisms import random_tree

KINDS = (Universal, Universal, Revolute, Prismatic, Spherical, Planar)
RTOL = 1e-12
BODIES = ("forward_kinematics", "body_velocities", "body_accelerations", "joint_wrenches")  # a row each


def twin_of(s):
    """The same motion of two revolute joints; its q, v and forces are the same numbers, in the order of the tree."""
    mechanism = in_series(s.mechanism)
    model = rbdyn.Model(mechanism)
    iq, iv = [], []
    for joint in mechanism.tree_joints:
        iq += range(model.joint_q_index(joint.name), model.joint_q_index(joint.name) + joint.num_positions)
        iv += range(model.joint_v_index(joint.name), model.joint_v_index(joint.name) + joint.num_velocities)
    state = rbdyn.State(model)
    q, v = np.empty(model.nq), np.empty(model.nv)
    q[iq], v[iv] = s.q, s.v
    state.set(q, v)
    iq, iv = np.array(iq), np.array(iv)
    assert model.nv == s.model.nv
    return System(s.rng, mechanism, model, state, iq, iv, s.q, s.v, s.vd, s.tau, s.external)


@pytest.fixture(scope="module")
def pair(seed):
    rng = np.random.default_rng([seed, 44])
    s = in_motion(rng, random_tree(rng, 7, KINDS, (False, Floating)[seed % 2]))
    return s, twin_of(s)


@pytest.mark.parametrize("name", OUTPUTS)
def test_every_algorithm(pair, name):
    s, twin = pair
    for one in pair:
        assert np.array_equal(one.iv, range(one.model.nv)) and np.array_equal(one.iq, range(one.model.nq))
    mine, theirs = (np.array(OUTPUTS[name](one, None)) for one in pair)
    if name in BODIES:
        common = {body.name for body in s.mechanism.bodies}
        mine = np.array([x for x, n in zip(mine, s.model.body_names, strict=True) if n in common])
        theirs = np.array([x for x, n in zip(theirs, twin.model.body_names, strict=True) if n in common])
    nontrivial(theirs)
    close(mine, theirs, RTOL)


def test_gravity_energy_and_centre_of_mass(pair):
    for function in (rbdyn.kinetic_energy, rbdyn.potential_energy, rbdyn.bias_forces):
        mine, theirs = (function(one.state) for one in pair)
        nontrivial(theirs)
        close(mine, theirs, RTOL)


def test_forces_on_bodies_and_their_derivatives(pair):
    for name in ("inverse", "forward"):
        answers = []
        for s in pair:
            frames = {name: s.mechanism.find_body(name).frame for name in s.external}
            answers.append({n: rbdyn.Wrench(frames[n], x[:3], x[3:]) for n, x in s.external.items()})
        x = [s.vd if name == "inverse" else s.tau for s in pair]
        dynamics, derivatives = {
            "inverse": (rbdyn.inverse_dynamics, rbdyn.inverse_dynamics_derivatives),
            "forward": (rbdyn.forward_dynamics, rbdyn.forward_dynamics_derivatives),
        }[name]
        close(*(dynamics(s.state, a, load) for s, a, load in zip(pair, x, answers, strict=True)), RTOL)
        mine, theirs = (derivatives(s.state, a, load) for s, a, load in zip(pair, x, answers, strict=True))
        for a, b in zip(mine, theirs, strict=True):
            close(a, b, RTOL)
