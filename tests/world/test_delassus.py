"""The contact problem that the World hands to a solver, against dense matrices built from what users can read."""

import numpy as np
import pytest
from world.scenes import (
    World,
    about_centre,
    anymal_c,
    anymal_stance,
    dense_system,
    random_quat,
    standing_quadruped,
)

import rbdyn
from rbdyn import models
from rbdyn.contact import BisectionSolver
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.testing.random_mechanisms import rand_chain_mechanism


class Recorder(BisectionSolver):
    """Keeps the latest problem's arrays."""

    def solve(self, problem):
        self.n, self.frame, self.friction = problem.n_cones, problem.frame.copy(), problem.friction.copy()
        self.joints = problem.key[problem.n_cones :].tolist()
        self.delassus, self.v_free = problem.delassus.copy(), problem.v_free.copy()
        super().solve(problem)
        self.impulse, self.velocity = problem.impulse.copy(), problem.velocity()


def recording_world(dt=2e-3, **options):
    world = World(dt, contact=Recorder(), **options)
    world.set_erp(0.0)
    return world


def present(objects):
    return [o.q if hasattr(o, "model") else (o.position, o.rotation) for o in objects]


def joint_rows(robot, keys, q, dt):
    """Jacobian and target of what acts on joints: limits (2), friction (4) and limits of velocities (5)."""
    joints = [j for j in robot.mechanism.tree_joints if j.num_velocities]
    J, targets = np.zeros((len(keys), robot.nv)), np.zeros(len(keys))
    for r, (source, _, dof, end) in enumerate(keys):
        if source == 4:
            J[r, dof] = 1.0
            continue
        if source == 5:
            J[r, dof] = -1.0 if end == 2 else 1.0
            targets[r] = -robot.model.array("velocity_limit")[dof]
            continue
        assert source == 2
        joint = next(j for j in joints if robot.model.joint_of(dof) == j.name)
        sign = -1.0 if end else 1.0
        J[r, dof] = sign
        gap = sign * (q[robot.model.joint_q_index(joint.name)] - joint.position_limits[end])
        targets[r] = -max(gap, 0.0) / dt
    return J, targets


def check_step(world, objects, least, tolerance=1e-12):
    """One step: Delassus matrix, free velocities, and the velocity change, against dense algebra."""
    start, dt = present(objects), world.time_step
    v0 = np.concatenate([velocity(o) for o in objects])
    free = np.concatenate([free_force(o, world) for o in objects])
    h = [about_centre(o.state) if hasattr(o, "model") else None for o in objects]
    centres = [rbdyn.center_of_mass(o.state) if hasattr(o, "model") else None for o in objects]
    world.step()
    seen = world.contact
    assert seen.n == len(world.contacts) >= least
    J, M = dense_system(world, objects, start)
    for frame, contact in zip(seen.frame, world.contacts, strict=True):
        assert frame @ frame.T == pytest.approx(np.eye(3), abs=1e-14)
        assert np.linalg.det(frame) == pytest.approx(1.0)
        assert frame[2] == pytest.approx(contact.normal, abs=0)
    rows = np.einsum("kij,kjn->kin", seen.frame, J)
    flat = rows.reshape(-1, rows.shape[2])
    if seen.joints:
        (robot,) = objects
        extra, targets = joint_rows(robot, seen.joints, start[0], dt)
        flat = np.vstack([flat, extra])
    G = flat @ np.linalg.solve(M, flat.T)
    scale = np.abs(G).max()
    assert np.abs(seen.delassus - G).max() < tolerance * scale
    u_free = v0 + dt * np.linalg.solve(M, free)
    v_free = rows @ u_free
    gap = np.array([min(c.depth, 0.0) / dt for c in world.contacts])  # what a speculative contact may still close
    v_free[:, 2] -= gap
    v_free = v_free.ravel()
    if seen.joints:
        v_free = np.append(v_free, extra @ u_free - targets)
    assert np.abs(seen.v_free.ravel() - v_free).max() < 1e-11 * max(1.0, np.abs(v_free).max())
    end = u_free + np.linalg.solve(M, flat.T @ seen.impulse.ravel())
    first = 0
    flying = all(flies(o) for contact in world.contacts for o in contact.objects)
    for obj, q, momentum, centre in zip(objects, start, h, centres, strict=True):
        expected = end[first : first + len(velocity(obj))]
        first += len(expected)
        if hasattr(obj, "model"):
            measured = obj.v
            if obj.model.floating_base and flying:
                blow = blows(obj, world.contacts, centre)
                expected[:6] = base_velocity(obj, expected, momentum + blow, dt * obj.total_mass * world.gravity)
        else:  # what an impulse changes is the angular momentum, which the motion afterwards keeps
            expected = np.append(expected[:3], q[1] @ obj.inertia @ q[1].T @ expected[3:])
            measured = np.append(obj.linear_velocity, obj.angular_momentum)
        assert np.abs(measured - expected).max() < 1e-11 * max(1.0, np.abs(end).max())
    return G


def flies(obj):
    """Whether impulses move all of it."""
    return obj.model.floating_base if hasattr(obj, "model") else obj.body_type == "dynamic"


def blows(robot, contacts, centre):
    """What the contacts with other objects do to its momentum, (6,) about a point."""
    total = np.zeros(6)
    for c in contacts:
        if c.object_a is not c.object_b and robot in c.objects:
            f = c.impulse if c.object_a is robot else -c.impulse
            total += np.append(np.cross(c.position - centre, f), f)
    return total


def base_velocity(robot, v, momentum, impulse):
    """What v says of the joints, and momentum (6,) about the centre of mass plus an impulse there of the whole."""
    P = momentum[3:] + impulse
    h = np.append(momentum[:3] + np.cross(rbdyn.center_of_mass(robot.state), P), P)
    A = rbdyn.momentum_matrix(robot.state)
    return np.linalg.solve(A[:, :6], h - A[:, 6:] @ v[6:])


def velocity(obj):
    return obj.v if hasattr(obj, "model") else np.concatenate([obj.linear_velocity, obj.angular_velocity])


def free_force(obj, world):
    """tau - h of a system with PD, damping and springs, by the theta-scheme (trapezoid rule); of a body, its weight."""
    if not hasattr(obj, "model"):
        return np.concatenate([obj.mass * world.gravity, np.zeros(3)])
    assert world.integrator == "trapezoid"
    state = obj.state.copy()
    (kp, kd), (q_ref, v_ref) = obj.pd_gains, obj.pd_target
    if obj.control_mode == "force":
        kp, kd = 0 * kp, 0 * kd
    K, D = obj.model.array("stiffness"), obj.model.array("damping")
    command = obj.generalized_force + kp * rbdyn.difference(obj.model, obj.q, q_ref) + kd * (v_ref - obj.v)
    limit = obj.model.array("effort_limit")
    tau = np.clip(command, -limit, limit) - D * obj.v
    tau += K * rbdyn.difference(obj.model, obj.q, obj.model.array("spring_reference"))
    tau -= 0.5 * world.time_step * (kp + K) * obj.v
    return tau - rbdyn.bias_forces(state)


def drop_until_it_touches(world, robot, least, depth=1e-3):
    """Lower a floating robot until its deepest point is in the ground."""
    q = robot.q.copy()
    world.collision.margin = 10.0
    world.integrate1()
    lowest = max(c.depth for c in world.contacts if c.object_a is not c.object_b)
    world.integrate2()
    world.collision.margin = 0.0
    q[2] += lowest - depth
    return q


def test_the_quadruped_on_the_ground(seed):
    rng = np.random.default_rng(seed)
    world = recording_world()
    world.add_ground()
    robot = standing_quadruped(world)
    robot.set_pd_gains(rng.uniform(0, 200, robot.nv), rng.uniform(0, 10, robot.nv), limits="explicit")
    q = QUADRUPED_STANCE.q
    q[7:] += 0.1 * rng.normal(size=12)
    q[2] -= 0.03 + 0.05 * rng.random()
    robot.set_state(q, 0.03 * rng.normal(size=robot.nv))    # no foot comes down within the step
    G = check_step(world, [robot], 2)
    assert np.abs(G[:3, 3:]).max() > 1e-3  # contacts feel one another


def test_a_foot_on_a_free_box():
    rng = np.random.default_rng(7)
    world = recording_world()
    robot = standing_quadruped(world)
    foot = robot.body_pose("LF_FOOT")[:3, 3]
    box = world.add_box(0.3, 0.4, 0.1, 2.0)
    quat = random_quat(rng) * [1, 0, 0, 0] + [0, 0, 0, 0.3]
    box.set_pose(foot - [0.02, 0.03, 0.05 + 0.03 - 1e-3], quat / np.sqrt(float(quat @ quat)))
    robot.set_state(robot.q, 0.3 * rng.normal(size=robot.nv))
    box.set_velocity(rng.normal(size=3), rng.normal(size=3))
    check_step(world, [robot, box], 1)
    both = {world.contacts[0].object_a, world.contacts[0].object_b}
    assert both == {robot, box}


def test_legs_that_touch_each_other():
    rng = np.random.default_rng(3)
    world = recording_world()
    world.add_ground(height=-5.0)
    robot = standing_quadruped(world)
    q = QUADRUPED_STANCE.q
    for leg, sign in (("LF", -1.0), ("RF", 1.0)):
        q[robot.model.joint_q_index(f"{leg}_HAA")] = sign * 0.6
    robot.set_state(q, rng.normal(size=robot.nv))
    robot.set_pd_gains(*robot.pd_gains, limits="explicit")  # some go to their limits: tests/world/test_motors.py
    check_step(world, [robot], 1)
    contact = world.contacts[0]
    assert contact.object_a is contact.object_b is robot
    assert contact.body_a != contact.body_b
    with pytest.raises(rbdyn.Error):
        contact.force_on(robot)


def test_two_quadrupeds_that_touch():
    rng = np.random.default_rng(5)
    world = recording_world()
    world.add_ground()
    a, b = standing_quadruped(world), standing_quadruped(world, name="other")
    q = QUADRUPED_STANCE.q
    q[2] -= 0.002
    a.set_state(q, 0.2 * rng.normal(size=a.nv))
    q = QUADRUPED_STANCE.q
    q[:3] += [0.59, 0.02, 0.01]
    b.set_state(q, 0.2 * rng.normal(size=b.nv))
    check_step(world, [a, b], 5)
    assert any({c.object_a, c.object_b} == {a, b} for c in world.contacts)


@pytest.mark.skipif(anymal_c() is None, reason="example-robot-data is not installed")
@pytest.mark.parametrize("self_collision", [False, True])
def test_anymal_c_in_a_random_pose(self_collision):
    rng = np.random.default_rng(11)
    world = recording_world()
    world.add_ground()
    robot = world.add_articulated_system(anymal_c(), self_collision=self_collision)
    for _ in range(3):
        q = anymal_stance(robot)
        q[3:7] = random_quat(rng) * 0.3 + [1, 0, 0, 0]
        q[3:7] /= np.linalg.norm(q[3:7])
        q[7:] += 0.3 * rng.normal(size=12)
        robot.set_state(q)
        robot.set_pd_gains(rng.uniform(0, 200, 18), rng.uniform(0, 5, 18), limits="explicit")
        q = drop_until_it_touches(world, robot, 1, depth=0.03)
        robot.set_state(q, rng.normal(size=18))
        check_step(world, [robot], 1)


SHANKS = {"LF_SHANK", "RF_SHANK", "LH_SHANK", "RH_SHANK"}  # carry the feet, by fixed joints


def chain_of_balls(types, seed):
    mechanism = rand_chain_mechanism(types, seed)
    for body in mechanism.bodies[1:]:
        body.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.2), name=body.name))
    return mechanism


@pytest.mark.parametrize("types", [[rbdyn.Revolute] * 60, [rbdyn.Prismatic, rbdyn.Revolute] * 30])
def test_a_chain_of_60_degrees_of_freedom(types):
    rng = np.random.default_rng(2)
    world = recording_world()
    robot = world.add_articulated_system(chain_of_balls(types, 4), self_collision=False)
    assert robot.nv == 60
    world.gravity = robot.mechanism.gravity
    q = robot.model.random(rng)
    robot.set_state(q, rng.normal(size=60))
    robot.set_pd_gains(rng.uniform(0, 50, 60), rng.uniform(0, 5, 60), limits="explicit")
    names = [robot.body_names[k] for k in (60, 30, 3)]
    for name in names:
        ball = world.add_sphere(0.3, rng.uniform(0.5, 3))
        direction = rng.normal(size=3)
        ball.set_pose(robot.body_pose(name)[:3, 3] + 0.49 * direction / np.linalg.norm(direction))
        ball.set_velocity(rng.normal(size=3), rng.normal(size=3))
    balls = list(world.objects[1:])
    check_step(world, [robot, *balls], 3, tolerance=1e-11)


def test_speculative_contacts_may_close_their_gap():
    world = recording_world()
    world.collision.margin = 0.01
    world.add_ground()
    robot = standing_quadruped(world)
    q = QUADRUPED_STANCE.q
    q[2] += 0.004
    robot.set_state(q, -0.1 * np.eye(18)[2])
    check_step(world, [robot], 4)
    assert all(c.depth == pytest.approx(-0.004, abs=1e-12) for c in world.contacts)
    assert {c.body_a if c.object_a is robot else c.body_b for c in world.contacts} == SHANKS


def test_single_bodies_only():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        world = recording_world(gravity=(0.3, -1.0, -9.0))
        world.add_ground(height=-0.1)
        bodies = [world.add_box(*rng.uniform(0.1, 0.3, 3), rng.uniform(0.5, 3)) for _ in range(3)]
        bodies.append(world.add_cylinder(0.1, 0.2, 1.3))
        for body in bodies:
            body.set_pose(rng.uniform(-0.1, 0.1, 3), random_quat(rng))
            body.set_velocity(rng.normal(size=3), rng.normal(size=3))
        check_step(world, bodies, 3)


def test_the_arm_on_a_tilted_base():
    rng = np.random.default_rng(1)
    world = recording_world()
    robot = world.add_articulated_system(models.six_axis_arm())
    robot.set_base_pose((1.0, -2.0, 0.7), (np.cos(0.4), np.sin(0.4), 0, 0))
    q = 0.5 * rng.normal(size=6)
    robot.set_state(q, rng.normal(size=6))
    ball = world.add_sphere(0.1, 1.0)
    tool = robot.body_pose("tool")[:3, 3]
    ball.set_pose(tool + [0, 0, 0.05])
    start, p = robot.q, ball.position
    world.step()
    assert any({c.object_a, c.object_b} == {robot, ball} for c in world.contacts)
    J = np.zeros((len(world.contacts), 3, 12))
    turn, place = robot.body_pose(robot.mechanism.root_body), rbdyn.State(robot.model)
    place.set(start)
    for k, c in enumerate(world.contacts):
        sign = 1.0 if c.object_a is robot else -1.0
        name = c.body_a if c.object_a is robot else c.body_b
        x = turn[:3, :3].T @ (c.position - turn[:3, 3])
        H = rbdyn.body_pose(place, name)
        J[k, :, :6] = sign * turn[:3, :3] @ rbdyn.point_jacobian(place, name, H[:3, :3].T @ (x - H[:3, 3]))
        r = c.position - p
        J[k, :, 6:] = -sign * np.hstack([np.eye(3), -np.cross(np.eye(3), r) @ -np.eye(3)])
    rows = np.einsum("kij,kjn->kin", world.contact.frame, J).reshape(-1, 12)
    M = np.zeros((12, 12))
    M[:6, :6] = rbdyn.mass_matrix(place) + np.diag(0.5 * world.time_step * robot.model.array("damping"))
    M[6:, 6:] = np.diag([1.0] * 3 + [0.4 * 0.01] * 3)
    G = rows @ np.linalg.solve(M, rows.T)
    assert np.abs(world.contact.delassus - G).max() < 1e-12 * np.abs(G).max()
