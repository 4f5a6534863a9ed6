"""Momentum matrix, its bias, the Jacobian of the centre of mass and composite inertias, on random mechanisms."""

import numpy as np
import pytest
from algorithms.systems import random_system
from reference import oracle
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.spatial.rotations import skew


@pytest.fixture(scope="module")
def system(seed):
    return random_system(seed)


def momentum_rate(mechanism, q, v, vd, names=None):
    """Rate of momentum about the world's origin, from second derivatives of poses; of the named bodies, or of all."""
    H = oracle.moving_poses(mechanism, q, v, v, vd)
    rate = np.zeros(6)
    for body in mechanism.bodies:
        if names is None or body.name in names:
            mass, com, S = oracle.mass_points(body)
            h = H[body.name]
            force = mass * (h[3] @ com)[:3]
            rate += np.append(np.cross((h[0] @ com)[:3], force), force)
            rate[:3] += 2 * oracle.axial(h[3, :3, :3] @ S @ h[0, :3, :3].T)
    return rate


def slope(f, h=1e-3):
    """f'(0) by the seven-point stencil."""
    a, b, c = (f(k * h) - f(-k * h) for k in (1, 2, 3))
    return (45 * a - 9 * b + c) / (60 * h)


def test_momentum_is_the_matrix_times_v(system):
    s = system
    expected = oracle.momentum(s.mechanism, s.q, s.v)
    nontrivial(expected)
    A = rbdyn.momentum_matrix(s.state)
    assert A.shape == (6, s.model.nv)
    close(A @ s.state.v, expected)
    close(A @ s.state.v, rbdyn.momentum(s.state), 1e-12)


def test_every_column_of_the_matrix_is_a_momentum(system):
    s = system
    A = s.tree(rbdyn.momentum_matrix(s.state))
    close(A, np.transpose([oracle.momentum(s.mechanism, s.q, e) for e in np.eye(s.model.nv)]))


def test_rate_of_momentum_is_the_matrix_times_vd_and_the_bias(system):
    s = system
    bias = rbdyn.momentum_bias(s.state)
    nontrivial(bias)
    close(bias, momentum_rate(s.mechanism, s.q, s.v, 0 * s.v))
    rate = rbdyn.momentum_matrix(s.state) @ s.order(s.vd) + bias
    close(rate, momentum_rate(s.mechanism, s.q, s.v, s.vd))


def test_rate_of_momentum_by_finite_differences(system):
    s = system
    q, v, vd = s.state.q.copy(), s.state.v.copy(), s.order(s.vd)
    state = rbdyn.State(s.model)

    def at(t):
        state.set(rbdyn.integrate(s.model, q, v + 0.5 * t * vd, t), v + t * vd)
        return rbdyn.momentum(state)

    close(rbdyn.momentum_matrix(s.state) @ vd + rbdyn.momentum_bias(s.state), slope(at), 1e-8)


def test_jacobian_of_the_center_of_mass(system):
    s = system
    J = rbdyn.center_of_mass_jacobian(s.state)
    assert J.shape == (3, s.model.nv)
    state, q, v = rbdyn.State(s.model), s.state.q.copy(), s.state.v.copy()

    def at(t):
        state.set(rbdyn.integrate(s.model, q, v, t))
        return rbdyn.center_of_mass(state)

    velocity = slope(at)
    nontrivial(velocity)
    close(J @ v, velocity, 1e-8)


def test_composite_inertia_is_the_sum_of_what_hangs_on_a_body(system):
    """Of every body, merged ones and the root included, in its own frame."""
    s, model = system, system.model
    poses = {
        name: rbdyn.Transform(rotation=H[:3, :3], translation=H[:3, 3])
        for name, H in oracle.forward_kinematics(s.mechanism, s.q).items()
    }
    for body in s.mechanism.bodies:
        top = carrier(model, body)
        parts = [b for b in s.mechanism.bodies if hangs_on(model, carrier(model, b), top)]
        assert body in parts
        here = poses[body.name].inverse()
        expected = sum((b.inertia.transformed(here @ poses[b.name]) for b in parts), rbdyn.SpatialInertia.zero())
        actual = rbdyn.composite_inertia(s.state, body)
        close(actual.matrix, expected.matrix)
        close(rbdyn.composite_inertia(s.state, body.name).matrix, expected.matrix)


def carrier(model, body):
    """Index in body_names of the carrying body; -1 for what is fixed to the root under a floating base."""
    k = model.body_of(body)
    fixed = model.floating_base and not np.any(rbdyn.body_spatial_jacobian(rbdyn.State(model), body))
    return -1 if fixed else k


def hangs_on(model, k, top):
    """Whether body k is `top` or a descendant of it."""
    while k > 0 and k != top:
        k = model.parents[k]
    return k == top or top == -1


def test_about_the_center_of_mass_the_matrix_gives_the_spin(system):
    s = system
    A, com = rbdyn.momentum_matrix(s.state), rbdyn.center_of_mass(s.state)
    close((A[:3] - skew(com) @ A[3:]) @ s.state.v, rbdyn.angular_momentum(s.state))


def test_results_go_where_they_are_told():
    s = random_system(3000)
    for function, shape in (
        (rbdyn.momentum_matrix, (6, s.model.nv)),
        (rbdyn.momentum_bias, (6,)),
        (rbdyn.center_of_mass_jacobian, (3, s.model.nv)),
    ):
        out = np.full(shape, np.nan)
        assert function(s.state, out=out) is out
        np.testing.assert_array_equal(out, function(s.state))
        for bad in (np.zeros(5), np.zeros(shape, np.float32), [0.0], np.zeros((*shape, 1))):
            with pytest.raises(rbdyn.StateError, match="out"):
                function(s.state, out=bad)
        for wrong in (None, 3, s.model):
            with pytest.raises(TypeError):
                function(wrong)
        with pytest.raises(rbdyn.Error):
            function(rbdyn.State.__new__(rbdyn.State))
    with pytest.raises(rbdyn.UnknownNameError, match="nobody"):
        rbdyn.composite_inertia(s.state, "nobody")
    with pytest.raises(rbdyn.Error):
        rbdyn.composite_inertia(rbdyn.State.__new__(rbdyn.State), "nobody")


def test_without_mass_there_is_no_center():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("ghost"), rbdyn.Joint("j", rbdyn.Revolute((0, 0, 1))))
    state = rbdyn.State(rbdyn.Model(m))
    with pytest.raises(rbdyn.MechanismError, match="no moving mass"):
        rbdyn.center_of_mass_jacobian(state)
    assert rbdyn.composite_inertia(state, "ghost") == rbdyn.SpatialInertia.zero()
    np.testing.assert_array_equal(rbdyn.momentum_matrix(state), np.zeros((6, 1)))
