"""What is refused leaves nothing half done."""

import numpy as np
import pytest
from world.scenes import World

import rbdyn
from rbdyn.collision import NativeBackend
from rbdyn.contact import BisectionSolver, ContactSolver
from rbdyn.errors import Error


@pytest.mark.parametrize("filters", [{"group": 1.5}, {"mask": 2**70}, {"group": "x"}, {"mask": None}])
def test_a_refused_shape_adds_no_object(filters):
    world = World(1e-3)
    world.add_ground()
    with pytest.raises(Error):
        world.add_sphere(0.1, 1.0, **filters)
    assert len(world.objects) == len(world.collision) == 1


def test_a_refused_shape_of_a_robot_adds_no_object():
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("b", rbdyn.SpatialInertia(1, (0, 0, 0), np.eye(3)))
    for group in (1, 2**80):
        body.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.1)))
        object.__setattr__(body.collision[-1], "group", group)  # what a backend refuses is found by the backend
    mechanism.attach(mechanism.root_body, body, rbdyn.Joint("j", rbdyn.Floating()))
    world = World(1e-3)
    world.add_ground()
    with pytest.raises(Error):
        world.add_articulated_system(mechanism)
    assert len(world.objects) == len(world.collision) == 1


@pytest.mark.parametrize("n", [None, "a", float("nan"), float("inf"), 1e30, 2**70, [1], np.array([1, 2])])
def test_a_number_of_steps(n):
    with pytest.raises(Error, match="n must"):
        World(1e-3).step(n)


def test_a_sphere_as_large_as_a_number_gets():
    with pytest.raises(Error):
        World(1e-3).add_sphere(1e200, 1.0)


@pytest.mark.parametrize("solver", ["pgs", "python"])
def test_solver_parameters_of_other_solvers(solver):
    class Own(ContactSolver):
        def solve(self, problem):
            raise AssertionError("never called")

    world = World(1e-3, contact=solver if solver == "pgs" else Own())
    if solver == "pgs":
        world.set_contact_solver_param(max_iterations=50)
        assert world.contact.parameters["max_iterations"] == 50
    else:
        with pytest.raises(Error):
            world.set_contact_solver_param(max_iterations=50)


def test_one_backend_serves_one_world():
    backend, solver = NativeBackend(), BisectionSolver()
    keep = World(1e-3, collision=backend), World(1e-3, contact=solver)
    with pytest.raises(Error):
        World(1e-3, collision=backend)
    with pytest.raises(Error):
        World(1e-3, contact=solver)
    assert keep


@pytest.mark.parametrize("mass", [float("nan"), -1.0, "a"])
def test_the_mass_of_a_static_body(mass):
    with pytest.raises(Error):
        World(1e-3).add_single_body([], mass, np.eye(3), "static")


def test_a_static_body_without_inertia_cannot_become_dynamic():
    world = World(1e-3)
    with pytest.raises(Error):
        world.add_single_body([], 1.0, np.zeros((3, 3)), "static").body_type = "dynamic"


def test_geometries_that_are_none():
    with pytest.raises(Error):
        World(1e-3).add_single_body(3, 1.0, np.eye(3))
