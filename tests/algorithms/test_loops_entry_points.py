"""Functions of loops: bad input, memory, empty objects, stale models, threads of one result."""

import copy
import gc
import pickle
import sys
import tracemalloc

import numpy as np
import pytest
from algorithms.loop_systems import looped
from algorithms.test_costs import STATM, growth
from algorithms.test_entry_points import BAD, refused
from reference.compare import close

import rbdyn
from rbdyn.mechanism import Joint, Mechanism, Planar, Prismatic, Revolute, RigidBody, Spherical
from rbdyn.spatial import SpatialInertia
from rbdyn.testing.random_mechanisms import add_random_loops, random_tree

OUTPUTS = {
    "loop_jacobian": lambda s, out: rbdyn.loop_jacobian(s.state, out=out),
    "loop_bias": lambda s, out: rbdyn.loop_bias(s.state, out=out),
    "loop_error": lambda s, out: rbdyn.loop_error(s.state, out=out),
    "forward_dynamics": lambda s, out: rbdyn.forward_dynamics(s.state, s.tau, out=out),
    "loaded": lambda s, out: rbdyn.forward_dynamics(s.state, s.tau, s.external, out=out),
    "project_velocity": lambda s, out: rbdyn.project_velocity(s.state, s.vd, out=out),
    "inverse_dynamics": lambda s, out: rbdyn.inverse_dynamics(s.state, s.reachable, actuated=s.motors, out=out),
}
WITHOUT_OUT = {
    "dynamics": lambda s: rbdyn.dynamics(s.state, s.tau),
    "project_configuration": lambda s: rbdyn.project_configuration(s.state),
}


@pytest.fixture
def system():
    s = looped(5, 3)
    s.reachable = rbdyn.forward_dynamics(s.state, s.tau)
    s.motors = [j.name for j in s.mechanism.tree_joints if j.num_velocities]
    return s


VECTORS = {
    "tau": (lambda s, x: rbdyn.dynamics(s.state, x), "nv"),
    "v": (lambda s, x: rbdyn.project_velocity(s.state, x), "nv"),
    "q": (lambda s, x: rbdyn.project_configuration(s.model, x), "nq"),
    "vd": (lambda s, x: rbdyn.inverse_dynamics(s.state, x, actuated=s.motors), "nv"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.parametrize("name", VECTORS)
def test_bad_vectors_are_refused_by_name(system, name, bad):
    call, size = VECTORS[name]
    good = system.model.random(1) if size == "nq" else np.random.default_rng(1).normal(size=system.model.nv)
    refused(lambda: call(system, BAD[bad](good)), name)


def test_quaternions_must_be_of_unit_length():
    s = looped(1, 1, floating_base=True)
    q = s.state.q.copy()
    q[3:7] *= 2
    with pytest.raises(rbdyn.StateError, match="quaternion"):
        rbdyn.project_configuration(s.model, q)


@pytest.mark.parametrize("name", ["stiffness", "damping"])
@pytest.mark.parametrize("value", [-1.0, np.nan, np.inf, "much", None])
def test_bad_gains(system, name, value):
    with pytest.raises((rbdyn.Error, TypeError), match=f"{name}|must be real|float"):
        rbdyn.dynamics(system.state, **{name: value})


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_bad_tolerances(system, value):
    with pytest.raises(rbdyn.Error, match="tolerance"):
        rbdyn.project_configuration(system.state, tolerance=value)


def test_bad_counts_of_steps(system):
    for bad in (-1, 1e30, 10**30, 2.5, "x", None):
        with pytest.raises(rbdyn.StateError, match="max_iterations must be a whole number"):
            rbdyn.project_configuration(system.state, max_iterations=bad)


def test_a_model_has_no_configuration(system):
    with pytest.raises(rbdyn.StateError, match="q must be given"):
        rbdyn.project_configuration(system.model)
    with pytest.raises(rbdyn.StateError, match="Model or a State"):
        rbdyn.project_configuration(system.mechanism, system.state.q)


@pytest.mark.parametrize("name", OUTPUTS)
def test_outputs_are_written_and_returned(system, name):
    expected = OUTPUTS[name](system, None)
    out = np.full(expected.shape, np.nan)
    assert OUTPUTS[name](system, out) is out
    np.testing.assert_array_equal(out, expected)
    for bad in (np.zeros(expected.shape, np.float32), np.zeros((*expected.shape, 1)), expected.tolist()):
        refused(lambda bad=bad: OUTPUTS[name](system, bad), "out")


@pytest.mark.parametrize("name", OUTPUTS)
def test_nothing_is_allocated(system, name):
    """The working memory is the State's, made once."""
    q, v = system.state.q.copy(), system.state.v.copy()
    out = OUTPUTS[name](system, None)

    def peak(times):
        gc.collect()
        tracemalloc.start()
        try:
            start = tracemalloc.get_traced_memory()[0]
            for _ in range(times):
                system.state.set(q, v)
                OUTPUTS[name](system, out)
            return tracemalloc.get_traced_memory()[1] - start
        finally:
            tracemalloc.stop()

    assert peak(500) <= peak(5) + 200


def test_no_references_leak(system):
    watched = [system.state, system.model, system.mechanism, system.tau, system.vd, system.reachable, system.motors]

    def use():
        for call in OUTPUTS.values():
            call(system, None)
        for call in WITHOUT_OUT.values():
            call(system)
        with pytest.raises(rbdyn.Error):
            rbdyn.inverse_dynamics(system.state, system.vd, actuated=system.motors)
        with pytest.raises(rbdyn.Error):
            rbdyn.inverse_dynamics(system.state, system.vd, actuated=["nobody"])

    use()
    gc.collect()
    before = [sys.getrefcount(x) for x in watched]
    for _ in range(20):
        use()
    gc.collect()
    assert [sys.getrefcount(x) for x in watched] == before


@pytest.mark.skipif(not STATM.exists(), reason="needs /proc")
def test_working_memory_is_freed():
    """Of a State that used more and more of it."""
    rng = np.random.default_rng(6)
    m = random_tree(rng, 30, [Revolute])
    add_random_loops(rng, m, 30, [Revolute])
    motors, model = [j.name for j in m.tree_joints], rbdyn.Model(m)

    def make():
        state = rbdyn.State(model)
        vd = rbdyn.dynamics(state).vd
        rbdyn.inverse_dynamics(state, vd, actuated=motors)
        with pytest.raises(rbdyn.Error):
            rbdyn.inverse_dynamics(state, vd + 1.0, actuated=motors)

    assert growth(make, 40) < 4e6


@pytest.mark.parametrize("order", [list(OUTPUTS), list(OUTPUTS)[::-1]])
def test_functions_do_not_disturb_one_another(system, order):
    """They share working memory: results do not depend on what ran before."""
    expected = {}
    for name in order:
        fresh = system.state.copy()
        kept, system.state = system.state, fresh
        expected[name] = OUTPUTS[name](system, None)
        system.state = kept
    for name in order:
        np.testing.assert_array_equal(OUTPUTS[name](system, None), expected[name])


def test_results_are_the_same_bits_again(system):
    first = rbdyn.dynamics(system.state, system.tau)
    twin = pickle.loads(pickle.dumps(system.state))
    for state in (system.state, system.state.copy(), copy.deepcopy(system.state), twin):
        again = rbdyn.dynamics(state, system.tau)
        np.testing.assert_array_equal(again.vd, first.vd)
        np.testing.assert_array_equal(again.multipliers, first.multipliers)


def test_results_are_frozen(system):
    result = rbdyn.dynamics(system.state)
    assert isinstance(result, rbdyn.DynamicsResult)
    assert isinstance(result.rank, int)
    with pytest.raises(AttributeError):
        result.rank = 3


@pytest.mark.parametrize(
    "call",
    [
        rbdyn.loop_jacobian,
        rbdyn.loop_bias,
        rbdyn.loop_error,
        rbdyn.dynamics,
        rbdyn.project_velocity,
        rbdyn.project_configuration,
    ],
)
def test_empty_and_stale_states(system, call):
    with pytest.raises(rbdyn.StateError):
        call(rbdyn.State.__new__(rbdyn.State))
    with pytest.raises((rbdyn.Error, TypeError)):
        call(None)
    with pytest.raises((rbdyn.Error, TypeError)):
        call(rbdyn.Model.__new__(rbdyn.Model))
    system.mechanism.gravity = (0, 0, 0)
    with pytest.raises(rbdyn.StaleModelError):
        call(system.state)


def test_an_empty_model_has_no_loops():
    model = rbdyn.Model.__new__(rbdyn.Model)
    assert model.num_constraints == 0
    assert model.loop_rows == {}


def test_massless_bodies_are_named():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("ghost"), rbdyn.Joint("hinge", Revolute((0, 0, 1))))
    m.attach(m.root_body, m.bodies[1], rbdyn.Joint("pin", Revolute((0, 0, 1))))
    state = rbdyn.State(rbdyn.Model(m))
    for call in (
        lambda: rbdyn.forward_dynamics(state, [1.0]),
        lambda: rbdyn.dynamics(state),
        lambda: rbdyn.project_velocity(state),
    ):
        with pytest.raises(rbdyn.MechanismError, match="'hinge'"):
            call()


def test_of_a_chain_the_massless_body_is_named_and_not_what_carries_it():
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for name, inertia in (("arm", rbdyn.SpatialInertia(1.0, (0, 0, 0.1), 0.1 * np.eye(3))), ("ghost", None)):
        m.attach(m.bodies[-1], rbdyn.RigidBody(name, inertia), rbdyn.Joint(f"{name}_joint", Revolute((0, 1, 0))))
    m.attach(m.root_body, m.bodies[1], rbdyn.Joint("pin", Revolute((0, 1, 0))))
    state = rbdyn.State(rbdyn.Model(m))
    for call in (rbdyn.dynamics, rbdyn.project_velocity):
        with pytest.raises(rbdyn.MechanismError, match="'ghost_joint'"):
            call(state)


def test_a_velocity_may_overlap_its_projection(system):
    nv = system.model.nv
    memory = np.zeros(nv + 1)
    memory[:nv] = system.vd
    expected = rbdyn.project_velocity(system.state, system.vd)
    assert np.abs(expected - system.vd).max() > 0.1
    np.testing.assert_array_equal(rbdyn.project_velocity(system.state, memory[:nv], out=memory[1:]), expected)


def test_joint_wrenches_still_refuse_loops(system):
    with pytest.raises(rbdyn.MechanismError, match="loop"):
        rbdyn.joint_wrenches(system.state, system.vd)


def test_algorithms_on_the_tree_part_do_not_see_loops():
    """Mass matrix, bias forces, kinematics, momentum: those without the loop joints; energies but for their rotors."""
    rng = np.random.default_rng(11)
    m = random_tree(rng, 6)
    q = rbdyn.Model(m).random(rng)
    v = rng.normal(size=m.num_velocities)

    def look():
        state = rbdyn.State(rbdyn.Model(m))
        state.set(q, v)
        calls = (rbdyn.mass_matrix, rbdyn.bias_forces, rbdyn.forward_kinematics, rbdyn.momentum, rbdyn.coriolis_matrix)
        return [f(state) for f in calls] + [rbdyn.kinetic_energy(state), rbdyn.potential_energy(state)]

    before = look()
    add_random_loops(rng, m, 2, [Spherical], q, rotor_inertia=False)
    for a, b in zip(before, look(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_the_generator_refuses_what_it_cannot_close():
    rng = np.random.default_rng(0)
    lonely = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    with pytest.raises(rbdyn.MechanismError, match="two bodies"):
        add_random_loops(rng, lonely, 1)
    m = random_tree(rng, 4)
    with pytest.raises(rbdyn.MechanismError, match="joint types"):
        add_random_loops(rng, m, 1, ["hinge"])
    with pytest.raises(rbdyn.StateError, match="q"):
        add_random_loops(rng, m, 1, q=[0.0])
    assert m.non_tree_joints == ()
    joints = add_random_loops(rng, m, 2)
    assert [j.name for j in joints] == ["loop1", "loop2"] == [j.name for j in m.non_tree_joints]
    assert [j.name for j in add_random_loops(rng, m, 1)] == ["loop3"]


def test_loops_survive_surgery():
    """A mechanism with loops attached to another keeps them closed."""
    rng = np.random.default_rng(12)
    part = random_tree(rng, 5, [Revolute, Spherical])
    add_random_loops(rng, part, 2, [Revolute])
    whole = random_tree(rng, 2, [Revolute])
    whole.attach_mechanism(whole.bodies[-1], part, None, "a_")
    whole.attach_mechanism(whole.bodies[1], part, None, "b_")
    model = rbdyn.Model(whole)
    assert model.loop_names == ("a_loop1", "a_loop2", "b_loop1", "b_loop2")
    state = rbdyn.State(model)
    close(rbdyn.loop_error(state), np.zeros(20), 1e-13)
    assert 0 < rbdyn.dynamics(state).rank <= 20


def test_loops_that_overflow_are_said():
    """Rows that are not finite leave fewer independent rows than rotors; that number is no error return of its own."""
    inertia = SpatialInertia(1.0, (0.1, 0, 0), np.eye(3))
    mechanism = Mechanism(RigidBody("world"))
    root, (a, b, c, d) = mechanism.root_body, (RigidBody(name, inertia) for name in "abcd")
    mechanism.attach(root, a, Joint("near", Prismatic((1, 0, 0))))
    mechanism.attach(a, b, Joint("far", Prismatic((1, 0, 0))))
    mechanism.attach(b, c, Joint("turn", Revolute()))
    mechanism.attach(root, d, Joint("hinge", Revolute()))
    mechanism.attach(c, root, Joint("plane", Planar(), rotor_inertia=0.1))
    mechanism.attach(d, root, Joint("slide", Prismatic()))
    state = rbdyn.State(rbdyn.Model(mechanism))
    state.set([1e308, 1e308, 0.0, 0.0])
    with pytest.raises(rbdyn.StateError, match=r"vd\[0\] came out as nan"):
        rbdyn.dynamics(state)
