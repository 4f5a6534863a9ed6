"""What may be set between integrate1 and integrate2: control and forces, and nothing else."""

import copy
import gc

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.contact import BisectionSolver, MaterialPair
from rbdyn.errors import BusyError


def scene():
    """A walking robot, a ball on a rope, and a coupling."""
    world = rbdyn.World(1e-3)
    world.add_ground()
    robot = world.add_articulated_system(models.path("quadruped"))
    robot.set_state(models.QUADRUPED_STANCE.q)
    ball = world.add_sphere(0.1, 1.0, name="ball")
    ball.set_pose((2.0, 0.0, 0.3))
    world.add_stiff_wire(ball, None, length=1.0, point_b=(2.0, 0.0, 1.0), name="rope")
    world.add_weld((robot, "base"), None, name="weld")
    world.add_coupling({(robot, "LF_KFE"): 1.0, (robot, "RF_KFE"): -1.0}, name="coupling")
    return world, robot


EDITS = {
    "gravity": lambda w, r: setattr(w, "gravity", (0, 0, -1.0)),
    "time_step": lambda w, r: setattr(w, "time_step", 2e-3),
    "substeps": lambda w, r: setattr(w, "substeps", 2),
    "integrator": lambda w, r: setattr(w, "integrator", "euler"),
    "erp": lambda w, r: w.set_erp(0.7, 0.1),
    "slop": lambda w, r: setattr(w, "contact_slop", 1e-3),
    "margin": lambda w, r: setattr(w, "contact_margin", 1e-3),
    "solver": lambda w, r: w.set_contact_solver_param(max_iterations=7),
    "pair": lambda w, r: w.set_material_pair("a", "b", 0.1),
    "default material": lambda w, r: w.set_default_material(0.1),
    "table of materials": lambda w, r: w.materials.set("a", "b", MaterialPair(0.1)),
    "default of the table": lambda w, r: setattr(w.materials, "default", MaterialPair(0.1)),
    "whole table": lambda w, r: w.materials.replace(MaterialPair(0.1), {}),
    "the solver itself": lambda w, r: w.contact.configure(max_iterations=7),
    "its direction": lambda w, r: setattr(w.contact, "parity", 1 - w.contact.parity),
    "its memory": lambda w, r: w.contact.reset(),
    "another memory": lambda w, r: w.contact.set_state(BisectionSolver().get_state()),
    "solver of positions": lambda w, r: w.position_solver.configure(max_iterations=7),
    "margin of the backend": lambda w, r: setattr(w.collision, "margin", 1e-3),
    "filter rule": lambda w, r: setattr(w.collision, "filter_rule", "or"),
    "most contacts": lambda w, r: setattr(w.collision, "max_contacts", 17),
    "a group": lambda w, r: w.collision.set_group(w.collision.ids[0], 2, 2),
    "pair of bodies": lambda w, r: w.collision.exclude(1, 2),
    "rope": lambda w, r: setattr(w.find("rope"), "length", 0.5),
    "weld": lambda w, r: w.find("weld").set_softness(1e-3),
    "coupling": lambda w, r: w.find("coupling").set_softness(1e-3),
    "limits": lambda w, r: r.set_joint_limits(joints={"LF_KFE": (-2.0, -1.0)}),
    "damping": lambda w, r: r.set_joint_damping(3.0),
    "handle": lambda w, r: setattr(r.joint("LF_KFE"), "damping", 3.0),
    "mass": lambda w, r: setattr(r.body("LF_SHANK"), "mass", 3.0),
    "ball's mass": lambda w, r: setattr(w.find("ball"), "mass", 3.0),
    "ball's type": lambda w, r: setattr(w.find("ball"), "body_type", "static"),
    "state": lambda w, r: r.set_state(v=np.ones(r.nv)),
    "pose": lambda w, r: w.find("ball").set_pose((0, 0, 3)),
    "filter": lambda w, r: setattr(r, "self_collision", False),
    "surgery": lambda w, r: r.weld("LF_KFE"),
}
CONTROL = {
    "gains": lambda w, r: r.set_pd_gains(p=100.0, d=3.0),
    "target": lambda w, r: r.set_pd_target(joints={"LF_KFE": -1.2}),
    "force": lambda w, r: r.set_generalized_force(joints={"LF_KFE": 3.0}),
    "effort limits": lambda w, r: r.set_effort_limits(joints={"LF_KFE": (-1.0, 2.0)}),
    "mode": lambda w, r: setattr(r, "control_mode", "force"),
    "external": lambda w, r: w.find("ball").set_external_force("ball", (0, 0, 100.0)),
}


def said(world, robot):
    """What an edit changes; filters and parameters of solvers are no part of the hash."""
    collision, solvers = world.collision, (world.contact, world.position_solver)
    settings = collision.filter_rule, collision.max_contacts, [solver.parameters for solver in solvers]
    return world.state_hash(), settings, robot.self_collision


@pytest.mark.parametrize("edit", EDITS)
def test_edits_wait_for_the_whole_step(edit):
    """They are refused in the middle of a step, which then ends as if nobody had asked; afterwards they work."""
    world, robot = scene()
    twin, _ = scene()
    for one in (world, twin):
        one.step(3)
        one.integrate1()
    with pytest.raises(BusyError, match="call integrate2"):
        EDITS[edit](world, robot)
    for one in (world, twin):
        one.integrate2()
    assert world.state_hash() == twin.state_hash()
    before = said(world, robot)
    EDITS[edit](world, robot)
    assert said(world, robot) != before or edit == "pair of bodies"


def test_backends_of_a_world_that_is_gone_wait_for_nothing():
    solver = BisectionSolver()
    world = rbdyn.World(1e-3, contact=solver)
    world.integrate1()
    table = copy.deepcopy(world.materials)
    table.set("a", "b", MaterialPair(0.1))
    del world
    gc.collect()
    solver.configure(max_iterations=7)
    other = rbdyn.World(1e-3, contact=solver)
    solver.configure(max_iterations=8)
    assert other.contact.parameters["max_iterations"] == 8


@pytest.mark.parametrize("control", CONTROL)
def test_control_acts_in_the_step_in_which_it_is_set(control):
    world, robot = scene()
    twin, other = scene()
    world.step(3)
    twin.step(3)
    world.integrate1()
    CONTROL[control](world, robot)
    world.integrate2()
    CONTROL[control](twin, other)
    twin.step()
    assert world.state_hash() == twin.state_hash()


def driven():
    """The scene in motion: gains, a custom wire, contacts, and a fall; a few steps old."""
    world, robot = scene()
    ball, base = world.find("ball"), (robot, "base")
    world.add_custom_wire(ball, base, law=lambda length, rate: 2.0 + 3.0 * length, name="law")
    robot.set_pd_gains(p=60.0, d=2.0)
    world.find("ball").set_velocity((0.5, 1.0, 0.0), (1.0, 2.0, 3.0))
    world.step(20)
    return world, robot


@pytest.mark.parametrize("substeps", [1, 3])
def test_looking_ahead_changes_nothing(substeps):
    """Neither what the step before did, nor a bit of what follows, whatever is read between the halves."""
    (world, robot), (twin, other) = driven(), driven()
    for one in (world, twin):
        one.substeps = substeps

    def readings(world, robot):
        ball, rope = world.find("ball"), world.find("rope")
        return [robot.acceleration, robot.applied_force, robot.passive_force, robot.joint_wrenches, robot.limit_force,
                robot.external_wrenches, robot.start_state.q, robot.state.q, ball.contacts, rope.force, rope.active,
                world.find("weld").wrench, world.find("law").force]  # fmt: skip

    for _ in range(5):
        world.integrate1()
        twin.integrate1()
        for _ in range(2):
            assert world.problem.n > 0 and robot.implicit_inertia.any()
        for mine, its in zip(readings(world, robot), readings(twin, other), strict=True):
            np.testing.assert_array_equal(mine, its)
        world.integrate2()
        twin.integrate2()
        assert world.state_hash() == twin.state_hash()


def test_the_problem_of_a_half_step_is_the_one_that_is_solved():
    """With what drives the World then; its impulses are 0 until `integrate2` has found them."""
    world, robot = driven()
    world.integrate1()
    robot.set_generalized_force(joints={"LF_KFE": 3.0})
    world.find("ball").set_external_force("ball", (0, 0, 5.0))
    coming = world.problem
    assert coming.n_cones == len(world.contacts) > 0
    assert not np.asarray(coming.impulse).any()
    world.integrate2()
    done = world.problem
    for name in ("v_free", "delassus", "key", "friction", "frame"):
        np.testing.assert_array_equal(getattr(coming, name), getattr(done, name))
    assert np.abs(done.impulse).max() > 1e-4
    other = BisectionSolver(max_iterations=500, threshold=1e-12)
    other.solve(coming)                                              # a problem of its own: it can be solved
    velocity = done.delassus @ done.impulse.ravel() + done.v_free.ravel()
    assert coming.delassus @ coming.impulse.ravel() + coming.v_free.ravel() == pytest.approx(velocity, abs=1e-4)


def test_the_damped_inertia_of_a_half_step_is_that_of_this_step(seed):
    """M + E of the theta-scheme, by its formula, at this step's place, with this step's time step and gains."""
    rng = np.random.default_rng(seed)
    world = rbdyn.World(2e-3, gravity=(0, 0, 0))
    world.integrator = "semi_implicit"
    robot = world.add_articulated_system(models.path("quadruped"))
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    robot.set_pd_gains(p=rng.uniform(10, 50), d=2.0, limits="explicit")
    assert world.problem is None and not robot.implicit_inertia.any()
    world.step()
    world.time_step = dt = 5e-3
    robot.set_state(robot.model.random(rng))
    world.integrate1()
    robot.set_pd_gains(p=rng.uniform(50, 90), d=rng.uniform(1, 3))
    (p, d), q, v, damping = robot.pd_gains, robot.q, robot.v, robot.joint_damping
    tau = p * rbdyn.difference(robot.model, q, robot.pd_target[0]) - d * v - dt * p * v - damping * v
    E = robot.implicit_inertia
    np.testing.assert_allclose(E, dt * (d + damping) + dt * dt * p, rtol=1e-13)
    inverse = rbdyn.inverse_mass_matrix(robot.state, diagonal=E)
    free = v + dt * inverse @ (tau - rbdyn.bias_forces(robot.state))
    world.integrate2()
    if not len(world.problem.key):
        np.testing.assert_allclose(robot.v, free, atol=1e-8)
    np.testing.assert_array_equal(robot.implicit_inertia, E)
