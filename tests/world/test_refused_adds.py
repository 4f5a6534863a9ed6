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


def adding(world, material):
    """What takes a material: every way of adding a shape."""
    ball = rbdyn.collision.Sphere(0.1)
    corners, faces = np.vstack([np.zeros(3), np.eye(3)]), [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]]
    mesh = rbdyn.collision.Mesh(corners, faces)
    return [
        lambda: world.add_ground(material=material),
        lambda: world.add_sphere(0.1, 1.0, material=material),
        lambda: world.add_box(0.1, 0.1, 0.1, 1.0, material=material),
        lambda: world.add_cylinder(0.1, 0.1, 1.0, material=material),
        lambda: world.add_capsule(0.1, 0.1, 1.0, material=material),
        lambda: world.add_cone(0.1, 0.1, 1.0, material=material),
        lambda: world.add_ellipsoid(0.1, 0.1, 0.2, 1.0, material=material),
        lambda: world.add_compound(rbdyn.collision.Compound([ball]), mass=1.0, material=material),
        lambda: world.add_height_map(np.zeros((3, 3)), size=(1.0, 1.0), material=material),
        lambda: world.add_mesh(mesh, 1.0, material=material),
        lambda: world.add_single_body([rbdyn.Geometry(ball, material=material)], 1.0, np.eye(3)),
    ]


def test_no_name_is_the_default_material_wherever_one_is_given():
    """As in RaiSim; anything but a string is refused by name, and nothing is added."""
    world = World(1e-3)
    for add in adding(world, ""):
        assert {item.material for item in add().geometries} == {"default"}
    ball = world.objects[1]
    ball.set_geometry(0, material="ice")
    ball.set_geometry(0, material="")
    assert ball.geometries[0].material == "default"
    before = world.objects
    for wrong in (None, 3, b"steel"):
        for add in adding(world, wrong):
            with pytest.raises(Error, match="material"):
                add()
    assert world.objects == before
