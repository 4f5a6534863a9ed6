"""Derivatives of inverse and forward dynamics: against differences along integrate, and what must hold between them."""

import numpy as np
import pytest
from algorithms.systems import in_motion, random_system
from algorithms.test_laws import slope
from reference.compare import close, nontrivial

import rbdyn
from rbdyn.mechanism import Floating, Planar, Prismatic, Revolute, Spherical
from rbdyn.testing.random_mechanisms import random_inertia, random_transform, random_tree

FUNCTIONS = {
    "inverse": (rbdyn.inverse_dynamics, rbdyn.inverse_dynamics_derivatives),
    "forward": (rbdyn.forward_dynamics, rbdyn.forward_dynamics_derivatives),
}


@pytest.fixture(scope="module", params=["all types", "several freedoms", "two trees"])
def system(request, seed):
    """Joints of all types; of those only with several degrees of freedom, floating ones within; or a floating base
    whose degrees of freedom come after those of an arm on the root."""
    if request.param == "all types":
        return random_system(seed)
    rng = np.random.default_rng(seed)
    if request.param == "two trees":
        mechanism = random_tree(rng, 2, [Revolute, Spherical])
        for k, kind in enumerate([Floating(), Spherical(), Prismatic((0.6, 0.0, 0.8))]):
            body = rbdyn.RigidBody(f"free{k}", random_inertia(rng))
            pose = random_transform(rng)
            parent = mechanism.bodies[-1] if k else mechanism.root_body
            mechanism.attach(parent, body, rbdyn.Joint(f"lead{k}", kind), joint_pose=pose)
        s = in_motion(rng, mechanism)
        assert s.model.joint_v_index("lead0") > 0
        return s
    return in_motion(rng, random_tree(rng, 5, [Spherical, Planar, Floating], floating_base=bool(seed % 2)))


def differences(function, system, x, external=None):
    """The three derivatives of function(state, x, external), by seven-point stencils."""
    s = system
    state, q, v = s.state.copy(), s.state.q.copy(), s.state.v.copy()

    def at(dq, dv, dx):
        state.set(rbdyn.integrate(s.model, q, dq), v + dv)
        return function(state, x + dx, external)

    steps, zero = np.eye(s.model.nv), np.zeros(s.model.nv)
    return (
        np.array([slope(lambda t, e=e: at(t * e, zero, zero)) for e in steps]).T,
        np.array([slope(lambda t, e=e: at(zero, t * e, zero)) for e in steps]).T,
        np.array([slope(lambda t, e=e: at(zero, zero, t * e)) for e in steps]).T,
    )


def argument(system, kind):
    return system.order(system.vd if kind == "inverse" else system.tau)


def agree(actual, expected, rtol):
    assert isinstance(actual, tuple)
    assert len(actual) == 3
    for a, b in zip(actual, expected, strict=True):
        close(a, b, rtol)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_against_differences(system, kind):
    function, derivatives = FUNCTIONS[kind]
    x = argument(system, kind)
    expected = differences(function, system, x)
    nontrivial(expected[2])
    agree(derivatives(system.state, x), expected, 1e-8)


def wrench(rng, frame):
    return rbdyn.Wrench(frame, *5 * rng.normal(size=(2, 3)))


def loads(system):
    """Name -> external wrenches; each is held in another way."""
    rng, bodies = np.random.default_rng(system.model.nv), system.mechanism.bodies
    moving = [b for b in bodies[1:] if b.name in system.external]
    return {
        "world axes": system.external,
        "own frame": {b: wrench(rng, b.frame) for b in moving},
        "frame of another body": {b: wrench(rng, rng.choice(bodies).frame) for b in moving},
        "frame of the first body": {b: wrench(rng, bodies[1].frame) for b in moving},
        "frame of the last body": {b: wrench(rng, bodies[-1].frame) for b in moving},
        "frame of the root": {b: wrench(rng, bodies[0].frame) for b in moving},
        "on the root": {bodies[0]: wrench(rng, bodies[-1].frame)},
        "each its own way": dict(
            zip(
                bodies[1:],
                [wrench(rng, bodies[-1].frame), rng.normal(size=6), wrench(rng, bodies[1].frame)],
                strict=False,
            )
        ),
    }


def test_under_external_wrenches(system):
    """Held in world axes at the body's origin, or in a frame wherever that is."""
    for name, external in loads(system).items():
        for kind, (function, derivatives) in FUNCTIONS.items():
            x = argument(system, kind)
            dq, dv, dx = derivatives(system.state, x, external)
            expected = differences(function, system, x, external)[0]
            try:
                close(dq, expected, 1e-8)
            except AssertionError as error:
                raise AssertionError(f"{kind}, {name}") from error
            bare = derivatives(system.state, x)
            close(dx, bare[2], 1e-14)
            if kind == "inverse":
                close(dv, bare[1], 1e-14)


def test_how_wrenches_are_held_matters():
    """Each way of holding the same wrench has another derivative, and the largest differ by much."""
    rng = np.random.default_rng(2)
    s = in_motion(rng, random_tree(rng, 4, [Revolute, Spherical], floating_base=True))
    body, other = s.mechanism.bodies[-1], s.mechanism.bodies[1]
    six = rng.normal(size=6)
    pose = np.linalg.inv(rbdyn.body_pose(s.state, other)) @ rbdyn.body_pose(s.state, body)
    R, p = rbdyn.body_pose(s.state, body)[:3, :3], pose[:3, 3]
    own = rbdyn.Wrench(body.frame, R.T @ six[:3], R.T @ six[3:])
    f = pose[:3, :3] @ own.linear
    there = rbdyn.Wrench(other.frame, pose[:3, :3] @ own.angular + np.cross(p, f), f)
    vd, ways = argument(s, "inverse"), [six, own, there]
    for x in ways[1:]:
        close(rbdyn.inverse_dynamics(s.state, vd, {body: x}), rbdyn.inverse_dynamics(s.state, vd, {body: six}))
    dq = [rbdyn.inverse_dynamics_derivatives(s.state, vd, {body: x})[0] for x in ways]
    for k in range(3):
        nontrivial(dq[k] - dq[k - 1], 0.1)


def test_identities(system):
    """d tau / d vd is M; d vd / d tau its inverse; d vd / dq = -M^-1 d tau / dq at the acceleration that tau causes."""
    s = system
    tau = argument(s, "forward")
    vd = rbdyn.forward_dynamics(s.state, tau, s.external)
    dtau_dq, dtau_dv, M = rbdyn.inverse_dynamics_derivatives(s.state, vd, s.external)
    dvd_dq, dvd_dv, M_inv = rbdyn.forward_dynamics_derivatives(s.state, tau, s.external)
    close(M, rbdyn.mass_matrix(s.state), 1e-13)
    np.testing.assert_array_equal(M, M.T)
    close(M_inv, rbdyn.inverse_mass_matrix(s.state))
    np.testing.assert_array_equal(M_inv, M_inv.T)
    nontrivial(dtau_dq)
    close(dvd_dq, -np.linalg.solve(M, dtau_dq), 1e-9)
    close(dvd_dv, -np.linalg.solve(M, dtau_dv), 1e-9)


def test_velocity_forces_are_of_second_degree(system):
    """d tau / dv is linear in v, and its product with v twice the velocity forces."""
    s = system
    vd = argument(s, "inverse")
    dv = rbdyn.inverse_dynamics_derivatives(s.state, vd)[1]
    close(dv @ s.state.v, 2 * rbdyn.coriolis_matrix(s.state) @ s.state.v)
    still = s.state.copy()
    still.set(s.state.q, -2 * s.state.v)
    close(rbdyn.inverse_dynamics_derivatives(still, 0 * vd)[1], -2 * dv)


def test_the_second_derivative_of_the_potential_is_symmetric(seed):
    """At rest, where the coordinates are flat: d tau / dq is the Hessian of the potential energy."""
    rng = np.random.default_rng(seed)
    s = in_motion(rng, random_tree(rng, 6, [Revolute, Prismatic, Planar]))
    s.state.set(v=np.zeros(s.model.nv))
    hessian = rbdyn.inverse_dynamics_derivatives(s.state, np.zeros(s.model.nv))[0]
    nontrivial(hessian)
    close(hessian, hessian.T, 1e-13)


def test_a_ball_joint_in_closed_form():
    """A weight at c on a ball joint: tau = -r x m g with r = R c, and a turn by e changes r by e x r."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"), gravity=(1.0, 2.0, -9.0))
    c, mass = np.array([0.3, -0.2, 0.5]), 1.7
    m.attach(m.root_body, rbdyn.RigidBody("bob", rbdyn.SpatialInertia(mass, c)), rbdyn.Joint("ball", Spherical()))
    state = rbdyn.State(rbdyn.Model(m))
    q = np.array([0.1, 0.7, -0.5, 0.2])
    state.set(q / np.linalg.norm(q))
    r = rbdyn.body_pose(state, "bob")[:3, :3] @ c
    expected = np.array([-np.cross(np.cross(e, r), mass * m.gravity) for e in np.eye(3)]).T
    nontrivial(expected - expected.T)  # no Hessian: turns are not flat
    close(rbdyn.inverse_dynamics_derivatives(state, np.zeros(3))[0], expected, 1e-13)


def test_where_a_floating_base_is_does_not_matter():
    """Translation changes nothing, to the last digit even a million kilometres away; nor does its speed."""
    s = random_system(7101, joint_types=[Revolute, Spherical, Planar, Prismatic], floating_base=True)
    base = s.iv[:3]
    expected = {}
    for kind, (_, derivatives) in FUNCTIONS.items():
        expected[kind] = derivatives(s.state, argument(s, kind))
        np.testing.assert_array_equal(expected[kind][0][:, base], 0.0)
        np.testing.assert_array_equal(expected[kind][1][:, base], 0.0)
    q = s.state.q.copy()
    q[s.iq[:3]] += [1e9, -2e9, 3e9]
    s.state.set(q, s.state.v.copy())
    for kind, (_, derivatives) in FUNCTIONS.items():
        agree(derivatives(s.state, argument(s, kind)), expected[kind], 1e-15)


def test_a_root_that_stands_elsewhere():
    """Wrenches are in world axes, whatever the pose of the root and its gravity in a World."""
    rng = np.random.default_rng(9)
    mechanism = random_tree(rng, 5, [Revolute, Planar, Spherical])
    robot = rbdyn.World().add_articulated_system(mechanism)
    mechanism = robot.mechanism
    robot.set_base_pose((0.5, -2.0, 1.0), (np.cos(0.6), np.sin(0.6), 0, 0))
    s = in_motion(rng, mechanism)
    state, bodies = robot.state.copy(), mechanism.bodies
    state.set(s.state.q, s.state.v)
    assert np.abs(rbdyn.body_pose(state, bodies[0]) - np.eye(4)).max() > 1.0
    s.state = state
    external = {
        bodies[2]: wrench(rng, bodies[0].frame),
        bodies[-1]: rng.normal(size=6),
        bodies[1]: wrench(rng, bodies[3].frame),
    }
    for kind, (function, derivatives) in FUNCTIONS.items():
        x = argument(s, kind)
        agree(derivatives(state, x, external), differences(function, s, x, external), 1e-8)


def test_merged_bodies_and_named_frames():
    """Bodies on fixed joints carry inertia and take wrenches, and so do frames within bodies."""
    rng = np.random.default_rng(4)
    s = in_motion(rng, random_tree(rng, 12, [rbdyn.Fixed, Spherical, Revolute, Floating]))
    fixed = [j for j in s.mechanism.tree_joints if j.num_velocities == 0]
    assert fixed
    body = s.mechanism.edge(fixed[-1]).successor
    frame = body.add_frame("tool", rbdyn.Transform(rpy=(1, 2, 3), translation=(0.3, 0.2, 0.1)))
    s.model = rbdyn.Model(s.mechanism)
    state = rbdyn.State(s.model)
    state.set(s.state.q, s.state.v)
    s.state = state
    last = s.mechanism.bodies[-1]
    for external in ({body: rng.normal(size=6)}, {last: wrench(rng, frame)}, {frame: rng.normal(size=6)}):
        for kind, (function, derivatives) in FUNCTIONS.items():
            x = argument(s, kind)
            agree(derivatives(s.state, x, external), differences(function, s, x, external), 1e-8)


def test_a_long_chain():
    """Paths longer than the sixteen entries that the factorisation takes at a time."""
    rng = np.random.default_rng(6)
    links = [Revolute, Prismatic] * 10 + [Spherical, Planar, Floating] * 3
    s = in_motion(rng, rbdyn.rand_chain_mechanism(links, 3))
    assert s.model.nv == 56
    tau = argument(s, "forward")
    vd = rbdyn.forward_dynamics(s.state, tau)
    dtau_dq, dtau_dv, M = rbdyn.inverse_dynamics_derivatives(s.state, vd)
    dvd_dq, dvd_dv, M_inv = rbdyn.forward_dynamics_derivatives(s.state, tau)
    for dvd, dtau in ((dvd_dq, dtau_dq), (dvd_dv, dtau_dv)):
        close(M @ dvd, -dtau, 1e-9)
    close(M_inv @ M, np.eye(s.model.nv), 1e-9)
    close(dtau_dq, differences(rbdyn.inverse_dynamics, s, vd)[0], 1e-8)


# ---- entry points --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_out(kind):
    s = random_system(7003)
    _, derivatives = FUNCTIONS[kind]
    x, n = argument(s, kind), s.model.nv
    expected = derivatives(s.state, x)
    out = tuple(np.full((3, n, n), np.nan))
    result = derivatives(s.state, x, out=out)
    for a, b, c in zip(result, out, expected, strict=True):
        assert a is b
        np.testing.assert_array_equal(a, c)
    A, B, C = np.zeros((3, n, n))
    shared = np.zeros(n * n + n)
    overlapping = shared[: n * n].reshape(n, n), shared[n:].reshape(n, n), C
    for bad in (A, (A, B), (A, B, C, C), (A, A, B), (A, B, A), overlapping, (A, B, C[1:]), (A, B, C.T), (A, B, None),
                (A.astype(np.float32), B, C), {0: A}, "abc", 3.0):  # fmt: skip
        with pytest.raises(rbdyn.StateError, match="out"):
            derivatives(s.state, x, out=bad)
    assert not np.any([A, B, C])  # a refused call writes nothing


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_arguments_may_lie_in_out(kind):
    s = random_system(7003)
    _, derivatives = FUNCTIONS[kind]
    x, n = argument(s, kind), s.model.nv
    body, six = s.mechanism.bodies[-1], 3 * s.rng.normal(size=6)
    expected = derivatives(s.state, x, {body: six})
    assert n * n >= 6
    memory = np.zeros((3, n, n))
    memory[0, 0] = x
    inside = memory[1].reshape(-1)[:6]
    inside[:] = six
    for a, b in zip(derivatives(s.state, memory[0, 0], {body: inside}, out=tuple(memory)), expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_bad_arguments(kind):
    s = random_system(7004)
    _, derivatives = FUNCTIONS[kind]
    x = argument(s, kind)
    name = {"inverse": "vd", "forward": "tau"}[kind]
    out = tuple(np.ones((3, s.model.nv, s.model.nv)))
    for bad in (x[:-1], np.append(x, 0.0), x[None], x * np.nan, "text", None, x + 0j):
        with pytest.raises(rbdyn.StateError, match=name):
            derivatives(s.state, bad, out=out)
    for bad in ({"nobody": np.zeros(6)}, {s.mechanism.bodies[-1]: np.zeros(5)}, [np.zeros(6)]):
        with pytest.raises(rbdyn.Error):
            derivatives(s.state, x, bad, out=out)
    assert np.all(np.array(out) == 1.0)
    with pytest.raises(TypeError):
        derivatives(None, x)
    with pytest.raises(rbdyn.Error):
        derivatives(rbdyn.State.__new__(rbdyn.State), x)
    s.mechanism.bodies[-1].inertia = rbdyn.SpatialInertia(1.0)
    with pytest.raises(rbdyn.StaleModelError):
        derivatives(s.state, x)


@pytest.mark.parametrize("kind", FUNCTIONS)
def test_a_mechanism_that_cannot_move(kind):
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    _, derivatives = FUNCTIONS[kind]
    for k in range(2):
        result = derivatives(rbdyn.State(rbdyn.Model(m)), [], {m.root_body: np.ones(6)})
        assert [a.shape for a in result] == [(0, 0)] * 3
        m.attach(m.root_body, rbdyn.RigidBody(f"wall{k}"), rbdyn.Joint(f"nail{k}", rbdyn.Fixed()))


def test_loops_are_refused():
    rng = np.random.default_rng(1)
    m = random_tree(rng, 3, [Revolute])
    m.attach(m.bodies[1], m.bodies[2], rbdyn.Joint("loop", Revolute((0, 0, 1))))
    state = rbdyn.State(rbdyn.Model(m))
    for kind, (_, derivatives) in FUNCTIONS.items():
        with pytest.raises(rbdyn.MechanismError, match=f"{kind}_dynamics_derivatives .*loop"):
            derivatives(state, np.zeros(3))


def test_a_joint_that_moves_no_inertia():
    """It has torques, but no accelerations."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("arm", rbdyn.SpatialInertia(1.0, (1, 0, 0))), rbdyn.Joint("a", Revolute()))
    m.attach(m.bodies[1], rbdyn.RigidBody("ghost"), rbdyn.Joint("b", Revolute()))
    state = rbdyn.State(rbdyn.Model(m))
    assert rbdyn.inverse_dynamics_derivatives(state, [1, 2])[2][0, 0] == 1.0
    out = tuple(np.ones((3, 2, 2)))
    with pytest.raises(rbdyn.MechanismError, match="'b' moves no inertia"):
        rbdyn.forward_dynamics_derivatives(state, [1, 2], out=out)
    assert np.all(np.array(out) == 1.0)
