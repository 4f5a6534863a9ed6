"""What there is to see of a World and of a mechanism, and where it is."""

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.collision import Box, Compound, HalfSpace, HeightMap, Mesh, Sphere
from rbdyn.scenery import Scenery, default_color
from rbdyn.spatial.rotations import matrix_from_quat, quat_from_matrix, random_quat, random_rotation

TETRAHEDRON = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])


def world_of(rng):
    """Ground, terrain, a robot, a compound, a mesh and balls, at random poses and velocities."""
    world = rbdyn.World(gravity=(0, 0, 0))
    world.add_ground(-3.0)
    world.add_height_map(rng.uniform(size=(4, 5)), (2.0, 3.0), name="hills")
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
    parts = Compound([(Sphere(0.2), np.eye(4)), (Box((0.1, 0.2, 0.3)), np.eye(4))])
    for made in (
        world.add_compound(parts, 1.0, name="pair"),
        world.add_mesh(TETRAHEDRON, 1.0, name="corner"),
        *(world.add_sphere(0.1, 1.0, name=f"ball{k}") for k in range(3)),
    ):
        made.set_pose(rng.normal(size=3) * 20, random_quat(rng))
        made.set_velocity(rng.normal(size=3), rng.normal(size=3))
    return world


def pose_of_body(obj):
    X = np.eye(4)
    X[:3, :3], X[:3, 3] = matrix_from_quat(obj.orientation), obj.position
    return X


def test_poses_in_a_world_are_those_that_its_objects_tell(seed):
    rng = np.random.default_rng(seed)
    world = world_of(rng)
    scenery = Scenery(world, "both")
    for _ in range(2):
        poses = scenery.poses()
        for item, X in zip(scenery.items, poses, strict=True):
            obj = world.find(item.object)
            if item.object == "dog":
                shapes = getattr(obj.mechanism.find_body(item.link), item.kind)
                expected = obj.body(item.link).pose @ next(g for g in shapes if g.shape is item.shape).pose.matrix
            else:
                expected = pose_of_body(obj) @ next(g for g in obj.geometries if g.shape is item.shape).pose.matrix
            assert np.abs(X - expected).max() < 1e-12
        world.step(20)  # and again, elsewhere
        assert np.abs(scenery.poses() - poses).max() > 1e-3
    assert not scenery.update()
    names = [item.name for item in scenery.items]
    assert len(set(names)) == len(names)
    assert {"dog/base/0", "dog/visual/base/0", "pair/0", "pair/1", "hills/0", "ball2/0"} <= set(names)


def test_poses_of_a_mechanism_are_those_of_its_state(seed):
    rng = np.random.default_rng(seed)
    mechanism = models.six_axis_arm()
    model = rbdyn.Model(mechanism)
    state = rbdyn.State(model)
    scenery = Scenery(model)
    state.set(model.random(rng))
    poses = scenery.poses(state)
    for item, X in zip(scenery.items, poses, strict=True):
        g = next(g for g in mechanism.find_body(item.link).visual if g.shape is item.shape)
        assert np.abs(X - rbdyn.body_pose(state, item.link) @ g.pose.matrix).max() < 1e-12
    assert np.abs(scenery.poses() - poses).max() > 1e-2  # its own state is the neutral one
    assert np.array_equal(scenery.poses(carriers=scenery.carrier_poses(state)), poses)
    assert np.array_equal(Scenery(state).poses(), poses)
    other = rbdyn.State(rbdyn.Model(mechanism))
    with pytest.raises(rbdyn.StateError, match="model that is shown"):
        scenery.poses(other)


def test_a_root_beside_a_floating_base_is_seen_too():
    world_body = rbdyn.RigidBody("world", visual=[rbdyn.Geometry(Sphere(1.0))])
    mechanism = rbdyn.Mechanism(world_body)
    base = rbdyn.RigidBody("base", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)), [rbdyn.Geometry(Sphere(0.5))])
    mechanism.attach(world_body, base, rbdyn.Joint("ROOT", rbdyn.Floating()))
    model = rbdyn.Model(mechanism)
    state = rbdyn.State(model)
    state.set([1, 2, 3, 0, 1, 0, 0])
    poses = {item.link: X for item, X in zip(Scenery(state).items, Scenery(state).poses(), strict=True)}
    assert np.array_equal(poses["world"], np.eye(4))
    assert poses["base"][:3, 3].tolist() == [1, 2, 3]
    world = rbdyn.World()
    robot = world.add_articulated_system(mechanism)
    robot.set_state([1, 2, 3, 0, 1, 0, 0])
    assert np.array_equal(Scenery(world).poses()[0], np.eye(4)) and Scenery(robot).carriers[1].static


def test_the_list_follows_what_comes_goes_and_is_edited():
    world = rbdyn.World()
    scenery = Scenery(world)
    assert len(scenery) == 0 and scenery.poses().shape == (0, 4, 4) and not scenery.update()
    ball = world.add_sphere(0.1, 1.0, name="ball")
    robot = world.add_articulated_system(models.double_pendulum(), name="arm")
    assert scenery.update() and scenery.revision == 2
    count = len(scenery)
    ball.set_geometry(0, shape=Box((1.0, 1.0, 1.0)))
    assert scenery.update() and isinstance(scenery.items[0].shape, Box)
    link = robot.mechanism.bodies[1]
    link.visual.append(rbdyn.Geometry(Sphere(0.3), name="lamp", color=(1, 0, 0, 1)))
    assert scenery.update() and len(scenery) == count + 1
    assert next(i for i in scenery.items if i.name == "arm/visual/lamp").color == (1, 0, 0, 1)
    scenery.poses()
    world.remove(ball)
    with pytest.raises(rbdyn.RemovedError, match="ball"):
        scenery.poses()
    assert scenery.update() and len(scenery) == count and {i.object for i in scenery.items} == {"arm"}
    robot.remove_subtree(robot.mechanism.tree_joints[-1])
    assert scenery.update() and len(scenery) < count
    only = Scenery(robot)
    world.add_sphere(0.1, 1.0)
    only.update()
    assert {i.object for i in only.items} == {"arm"}


def test_an_observer_sees_what_the_step_made():
    world = rbdyn.World()
    ball = world.add_sphere(0.1, 1.0)
    ball.set_velocity((1, 0, 0))
    scenery, seen = Scenery(world), []
    world.add_observer(lambda w: seen.append((scenery.poses()[0, 0, 3], ball.position[0])))
    world.step(3)
    assert [a == b for a, b in seen] == [True] * 3 and seen[2][0] > seen[0][0] > 0


def test_quaternions_are_those_of_the_matrices(seed):
    rng = np.random.default_rng(seed)
    turns = [random_rotation(rng) for _ in range(20)]
    turns += [np.diag(d) for d in ([1.0, 1, 1], [1.0, -1, -1], [-1.0, 1, -1], [-1.0, -1, 1])]
    world = rbdyn.World()
    balls = [world.add_sphere(0.1, 1.0) for _ in turns]
    for ball, R in zip(balls, turns, strict=True):
        ball.set_pose(rng.normal(size=3), quat_from_matrix(R))
    positions, quats = Scenery(world).positions_and_quats()
    for p, q, ball, R in zip(positions, quats, balls, turns, strict=True):
        assert np.array_equal(p, ball.position) and q[0] >= 0
        assert np.abs(matrix_from_quat(q) - R).max() < 1e-14


def test_colours_are_the_shape_s_own_or_of_the_object_s_name():
    own = rbdyn.Geometry(Sphere(1.0), color=(0.1, 0.2, 0.3, 0.4))
    world = rbdyn.World()
    world.add_single_body([own, rbdyn.Geometry(Sphere(2.0))], 1.0, np.eye(3), name="thing")
    colors = [item.color for item in Scenery(world).items]
    assert colors[0] == (0.1, 0.2, 0.3, 0.4) and colors[1] == default_color("thing", Sphere(1.0), False)
    assert len({default_color(f"ball_{k}", Sphere(1.0), False) for k in range(30)}) > 4
    grounds = {default_color("a", s, False) for s in (HalfSpace(), HeightMap(np.zeros((2, 2)), (1, 1)), Sphere(1.0))}
    assert len(grounds) == 3


@pytest.mark.parametrize(
    "source, geometry, message",
    [
        (3, "visual", "source must be a World"),
        (None, "visual", "source"),
        ("world", "meshes", "geometry must be one of"),
    ],
)
def test_bad_input(source, geometry, message):
    with pytest.raises(rbdyn.Error, match=message):
        Scenery(rbdyn.World() if source == "world" else source, geometry)


def test_carriers_must_have_the_right_shape():
    with pytest.raises(rbdyn.Error, match="carriers"):
        Scenery(models.double_pendulum()).poses(carriers=np.zeros((1, 4, 4)))
    world = rbdyn.World()
    with pytest.raises(rbdyn.StateError, match="World"):
        Scenery(world).poses(rbdyn.State(rbdyn.Model(models.double_pendulum())))
