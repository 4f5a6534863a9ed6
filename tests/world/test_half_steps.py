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
