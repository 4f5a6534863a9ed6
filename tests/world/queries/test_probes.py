"""Casts, overlaps, distances and contacts of what is not there: beside what bodies do that are put there."""

import threading

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import rbdyn
from rbdyn import models
from rbdyn.collision import Box, Capsule, HalfSpace, HeightMap, Sphere, distance, shape_cast
from rbdyn.errors import BusyError, CollisionError, Error, RemovedError, StateError


def at(x, y, z, R=None):
    X = np.eye(4)
    X[:3, 3] = x, y, z
    if R is not None:
        X[:3, :3] = R
    return X


def random_pose(rng, far):
    return at(*rng.uniform(-far, far, 3), Rotation.random(random_state=rng).as_matrix())


def crowd(seed=0, n=30):
    """A World with ground and random shapes above it; each shape with its pose, by name."""
    rng, world, parts = np.random.default_rng(seed), rbdyn.World(), {}
    ground = world.add_ground()
    parts[ground.name] = (HalfSpace(), np.eye(4))
    for k in range(n):
        shape = [Sphere(0.2), Box((0.3, 0.4, 0.5)), Capsule(0.1, 0.4)][k % 3]
        body = world.add_single_body([rbdyn.Geometry(shape)], 1.0, np.eye(3), name=f"b{k}")
        X = random_pose(rng, 2.0)
        X[2, 3] += 2.5
        body.set_pose(X[:3, 3], X[:3, :3])
        parts[body.name] = (shape, X)
    return world, parts, rng


def test_casts_meet_the_first_of_all():
    world, parts, rng = crowd()
    starts = np.array([random_pose(rng, 2.0) + at(0, 0, 2.5) - np.eye(4) for _ in range(60)])
    ways = rng.normal(size=(60, 3))
    shape = Box((0.1, 0.2, 0.15))
    hits = world.shape_cast_batch(shape, starts, 3.0 * ways)
    for k in range(60):
        single = {name: shape_cast(shape, starts[k], 3.0 * ways[k], s, X) for name, (s, X) in parts.items()}
        first = min(single, key=lambda name: single[name].fraction)
        one = world.shape_cast(shape, starts[k], 3.0 * ways[k])
        if single[first].fraction == np.inf:
            assert one is None and hits[k] is None and hits.distance[k] == np.inf
            continue
        assert one.object.name == first == hits[k].object.name
        assert one.distance == pytest.approx(single[first].fraction * np.linalg.norm(3.0 * ways[k]), abs=1e-9)
        np.testing.assert_allclose(one.position, single[first].position, atol=1e-9)
        np.testing.assert_allclose(one.normal, single[first].normal, atol=1e-9)
        assert one.distance == hits.distance[k]
    assert 20 < hits.hit.sum() < 60
    seen = world.shape_cast(Sphere(0.1), at(0, 0, 8), (0, 0, -9))
    without = world.shape_cast(Sphere(0.1), at(0, 0, 8), (0, 0, -9), exclude=[seen.object])
    assert without.distance > seen.distance and without.object is not seen.object


def test_nearest_and_overlaps():
    world, parts, rng = crowd(1, 120)
    poses = np.array([random_pose(rng, 1.5) + at(0, 0, 2.0) - np.eye(4) for _ in range(50)])
    shape = Capsule(0.15, 0.3)
    near, touched = world.nearest_batch(shape, poses), world.overlap_test_batch(shape, poses)
    for k, X in enumerate(poses):
        gaps = {name: distance(shape, X, s, Y).distance for name, (s, Y) in parts.items()}
        least = min(gaps, key=gaps.get)
        assert near[k].object.name == least and near.distance[k] == pytest.approx(gaps[least], abs=1e-9)
        assert {seen.object.name for seen in touched[k]} == {name for name, gap in gaps.items() if gap <= 0.0}
        within = world.overlap_test(shape, X, margin=0.3)
        assert {seen.object.name for seen in within} == {name for name, gap in gaps.items() if gap <= 0.3}
        assert world.nearest(shape, X, reach=gaps[least] - 1e-6) is None
        assert world.nearest(shape, X, reach=gaps[least] + 1e-6).object.name == least
    assert sum(len(t) for t in touched) > 20
    inside = {seen.object.name for seen in world.overlap_test(Box((2, 2, 2)), at(0, 0, 2.5))}
    balls = {name: X[:3, 3] - (0, 0, 2.5) for name, (s, X) in parts.items() if isinstance(s, Sphere)}
    in_box = {name for name, x in balls.items() if np.linalg.norm(np.maximum(np.abs(x) - 1.0, 0.0)) <= 0.2}
    assert inside & set(balls) == in_box and 3 < len(in_box) < 35


def test_distances_of_objects():
    world, parts, _ = crowd(2, 8)
    objects = {obj.name: obj for obj in world.objects}
    for a in parts:
        for b in parts:
            if a == b:
                continue
            found = world.distance(objects[a], b)
            true = distance(*parts[a], *parts[b])
            assert found.distance == pytest.approx(true.distance, abs=1e-12)
            np.testing.assert_allclose(found.on_a, true.on_a, atol=1e-9)
            np.testing.assert_allclose(found.normal, true.normal, atol=1e-9)
            assert found.shape_a.object is objects[a] and found.shape_b.object is objects[b]
    other = world.add_ground(-3.0)
    assert world.distance("ground_0", other) is None                        # both are without end
    robot = world.add_articulated_system(models.quadruped())
    robot.set_base_pose(position=(0, 0, 7.0))
    feet = [world.distance((robot, body), "ground_0").distance for body in robot.body_names if body.endswith("SHANK")]
    assert world.distance(robot, "ground_0").distance == pytest.approx(min(feet), abs=1e-12)


def test_contacts_of_a_configuration_are_those_of_a_robot_that_takes_it():
    """Against a twin that is put there: the same pairs, depths and normals; and nothing moved."""
    rng, world, twin = np.random.default_rng(3), rbdyn.World(), rbdyn.World()
    robots = []
    for w in (world, twin):
        w.add_ground()
        w.add_box(0.4, 0.4, 0.2, 1.0).set_pose(position=(0.3, 0.1, 0.1))
        robots.append(w.add_articulated_system(models.quadruped()))
        robots[-1].set_base_pose(position=(0, 0, 5.0))
    robot, other = robots
    world.step()
    before = world.snapshot().hash
    rows, touching = [], []
    for _ in range(40):
        q = np.array(robot.q)
        q[:3] = *rng.uniform(-0.2, 0.2, 2), rng.uniform(0.2, 0.7)
        q[7:] += rng.uniform(-1.5, 1.5, len(q) - 7)
        other.set_state(q, np.zeros(other.nv))
        twin.integrate1()
        expected = [c for c in twin.contacts if other in c.objects]
        twin.integrate2()
        box = twin.objects[1]
        box.set_pose(position=(0.3, 0.1, 0.1), orientation=(1, 0, 0, 0))
        box.set_velocity((0, 0, 0), (0, 0, 0))
        found = world.contacts_at(robot, q)
        deep = {(c.geometry_a, c.geometry_b): c.depth for c in sorted(found, key=lambda c: c.depth)}
        for c in expected:
            if c.depth > 1e-6:
                assert deep[c.geometry_a, c.geometry_b] >= c.depth - 1e-9
        assert all(robot in c.objects and not c.impulse.any() for c in found)
        rows.append(q)
        touching.append(len(found) > 0)
    np.testing.assert_array_equal(world.collides_at(robot, rows), touching)
    assert 5 < sum(touching) < 40
    assert world.snapshot().hash == before


def test_contacts_of_a_single_body_elsewhere():
    world = rbdyn.World()
    world.add_ground()
    box, wall = world.add_box(0.2, 0.2, 0.2, 1.0), world.add_box(1.0, 0.1, 1.0, 1.0, name="wall")
    box.set_pose((0, 0, 5))
    wall.set_pose((0, 1, 3))
    found = world.contacts_at(box, at(0.1, 0.2, 0.09))
    assert len(found) == 4 and {obj.name for c in found for obj in c.objects} == {"ground_0", "box_1"}
    assert [c.depth for c in found] == pytest.approx([0.01] * 4)
    poses = [at(0, 0, 0.11), at(0, 0.86, 3), at(0, 0.84, 3), at(0, 0, 0.05)]
    assert world.collides_at(box, poses).tolist() == [False, True, False, True]
    assert world.collides_at(box, poses, margin=0.02).tolist() == [True, True, True, True]
    world.ignore_collision(box, wall)
    assert world.collides_at(box, poses).tolist() == [False, False, False, True]
    assert box.position[2] == 5.0


def test_queries_of_many_threads_give_the_bits_of_one():
    rng, world = np.random.default_rng(0), rbdyn.World()
    world.add_height_map(HeightMap.fractal((60, 60), (10.0, 10.0), seed=1))
    origins, directions = rng.uniform(-4, 4, (20000, 3)) + (0, 0, 6), rng.normal(size=(20000, 3)) - (0, 0, 1)
    one = world.ray_test_batch(origins, directions)
    for threads in (2, 3):
        several = world.ray_test_batch(origins, directions, threads=threads)
        np.testing.assert_array_equal(one.distance, several.distance)
        np.testing.assert_array_equal(one.normal, several.normal)
    assert one.hit.mean() > 0.3
    with pytest.raises(Error, match="threads"):
        world.ray_test_batch(origins, directions, threads=0)


def test_nobody_changes_the_world_while_it_is_looked_at():
    """A query holds no lock of the interpreter; from a support function, which it calls, the World may be read only."""
    from rbdyn.collision import SupportShape

    world, said = rbdyn.World(), []
    ball = world.add_sphere(0.5, 1.0)

    def support(d):
        if np.count_nonzero(d) > 1:
            for change in (world.step, lambda: world.remove(ball), lambda: ball.set_geometry(0, shape=Sphere(0.1))):
                with pytest.raises(BusyError, match="looks at the World"):
                    change()
            said.append(world.ray_test((0, 0, 3), (0, 0, -1)).distance)
            found = []
            other = threading.Thread(target=lambda: found.append(world.ray_test((0, 0, 4), (0, 0, -1)).distance))
            other.start()
            other.join()
            said.extend(found)
        return np.copysign(0.2, d)

    shape = SupportShape(support)
    assert world.nearest(shape, at(0.3, 0.2, 2.0)).object is ball
    assert set(said) == {2.5, 3.5}
    world.step()
    world.remove(ball)


def test_what_cannot_be_asked():
    world = rbdyn.World()
    ball = world.add_sphere(0.5, 1.0)
    with pytest.raises(CollisionError, match="without end"):
        world.shape_cast(HalfSpace(), np.eye(4), (0, 0, 1))
    with pytest.raises(CollisionError, match="rigid"):
        world.overlap_test(Sphere(0.1), np.diag([2.0, 1, 1, 1]))
    with pytest.raises(Error, match="displacement"):
        world.shape_cast(Sphere(0.1), np.eye(4), (0, 1))
    with pytest.raises(Error, match="as many"):
        world.shape_cast_batch(Sphere(0.1), [np.eye(4)] * 2, np.ones((3, 3)))
    with pytest.raises(CollisionError, match="shape must be one of"):
        world.nearest("ball", np.eye(4))
    with pytest.raises(Error, match="margin"):
        world.overlap_test(Sphere(0.1), np.eye(4), margin=-1.0)
    with pytest.raises(Error, match="obj must be"):
        world.contacts_at("sphere_0", np.eye(4))
    robot = world.add_articulated_system(models.quadruped())
    with pytest.raises(Error, match="at must"):
        world.contacts_at(robot, np.zeros(3))
    q = np.array(robot.q)
    q[3:7] = 0.0
    with pytest.raises(StateError):
        world.contacts_at(robot, q)
    world.remove(ball)
    with pytest.raises(RemovedError):
        world.contacts_at(ball, np.eye(4))
    assert world.shape_cast_batch(Sphere(0.1), np.empty((0, 4, 4)), np.empty((0, 3))).distance.shape == (0,)


def test_a_refused_distance_leaves_the_world_free():
    world = rbdyn.World()
    world.add_ground()
    box = world.add_box(0.2, 0.2, 0.2, 1.0)
    gone = world.add_sphere(0.1, 1.0)
    world.remove(gone)
    other = rbdyn.World().add_sphere(0.1, 1.0)
    for bad in (None, "nobody", 1.0, gone, other, {}, (box, "nothing")):
        for pair in ((box, bad), (bad, box)):
            with pytest.raises(Error) as caught:
                world.distance(*pair)
            assert "exclude" not in str(caught.value)
            world.step()
            box.set_pose((0, 0, 1))
