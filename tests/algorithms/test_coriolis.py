"""The two laws of the Coriolis matrix on random mechanisms of all joint types."""

import numpy as np
import pytest
from algorithms.systems import BASES, in_motion, random_system
from reference import oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Floating, Planar, Spherical, SPQuatFloating
from rbdyn.testing.random_mechanisms import random_tree


@pytest.fixture(scope="module", params=["all types", "turning axes"])
def system(request, seed):
    """Joints of all types; or of those only whose axes turn in body coordinates, floating ones within."""
    if request.param == "all types":
        return random_system(seed)
    rng = np.random.default_rng(seed)
    return in_motion(rng, random_tree(rng, 5, [Spherical, Planar, Floating, SPQuatFloating], BASES[seed % 4]))


def mass_matrix_rate(system, h=1e-3):
    """dM/dt along v by the seven-point stencil."""
    state, q, v = rbdyn.State(system.model), system.state.q.copy(), system.state.v.copy()

    def M(t):
        state.set(rbdyn.integrate(system.model, q, v, t))
        return rbdyn.mass_matrix(state)

    a, b, c = (M(k * h) - M(-k * h) for k in (1, 2, 3))
    return (45 * a - 9 * b + c) / (60 * h)


def test_coriolis_matrix_times_v_and_gravity_are_the_bias(system):
    s = system
    C = rbdyn.coriolis_matrix(s.state)
    assert C.shape == (s.model.nv, s.model.nv)
    still = np.zeros_like(s.v)
    expected = oracle.bias_forces(s.mechanism, s.q, s.v) - oracle.bias_forces(s.mechanism, s.q, still)
    close(s.tree(C @ s.state.v), expected)
    gravity = rbdyn.State(s.model)
    gravity.set(s.state.q)
    close(C @ s.state.v + rbdyn.bias_forces(gravity), rbdyn.bias_forces(s.state))


def test_rate_of_the_mass_matrix_less_twice_c_is_skew(system):
    rate = mass_matrix_rate(system)
    C = rbdyn.coriolis_matrix(system.state)
    S = rate - 2 * C
    close(S + S.T, np.zeros_like(S), 1e-7, max(1.0, np.abs(rate).max()))
    close(C + C.T, rate, 1e-7)


def test_it_is_linear_in_v(system):
    s = system
    state, v, u = rbdyn.State(s.model), s.state.v.copy(), s.order(s.vd)
    parts = []
    for x in (v, u, 2 * v - 3 * u):
        state.set(s.state.q, x)
        parts.append(rbdyn.coriolis_matrix(state))
    close(parts[2], 2 * parts[0] - 3 * parts[1])


def test_the_laws_say_something():
    """Most systems have Coriolis forces and a mass matrix that changes; with a fixed base and one hinge neither is."""
    sizes = []
    for seed in range(20):
        s = random_system(seed)
        sizes.append((np.abs(rbdyn.coriolis_matrix(s.state) @ s.state.v).max(), np.abs(mass_matrix_rate(s)).max()))
    nontrivial(np.median(sizes, axis=0).min())


def test_closed_form_of_two_links():
    """Planar two-link arm: C = [[-b w2, -b (w1 + w2)], [b w1, 0]], b = m2 l1 c2 sin q2 (any textbook)."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    link = rbdyn.SpatialInertia(1.5, (0.3, 0, 0), np.diag([0.01, 0.02, 0.02]))
    m.attach(m.root_body, rbdyn.RigidBody("upper", link), rbdyn.Joint("a", rbdyn.Revolute((0, 0, 1))))
    elbow = rbdyn.Transform(translation=(0.7, 0, 0))
    m.attach(m.bodies[-1], rbdyn.RigidBody("lower", link), rbdyn.Joint("b", rbdyn.Revolute((0, 0, 1))), elbow)
    state = rbdyn.State(rbdyn.Model(m))
    state.set([0.4, 0.9], [1.3, -0.8])
    b = 1.5 * 0.7 * 0.3 * np.sin(0.9)
    close(rbdyn.coriolis_matrix(state), [[b * 0.8, -b * 0.5], [b * 1.3, 0.0]], 1e-14)


def test_entry_points():
    s = random_system(5001)
    out = np.full((s.model.nv, s.model.nv), np.nan)
    assert rbdyn.coriolis_matrix(s.state, out=out) is out
    np.testing.assert_array_equal(out, rbdyn.coriolis_matrix(s.state))
    for bad in (np.zeros(3), out.astype(np.float32), out[:, :-1], [1.0]):
        with pytest.raises(rbdyn.StateError, match="out"):
            rbdyn.coriolis_matrix(s.state, out=bad)
    with pytest.raises(TypeError):
        rbdyn.coriolis_matrix(None)
    with pytest.raises(rbdyn.Error):
        rbdyn.coriolis_matrix(rbdyn.State.__new__(rbdyn.State))
