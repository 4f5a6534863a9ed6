"""A Panda with all that its urdf says: limp for a minute, and with a box between its fingers."""

import numpy as np
from world.scenes import World
from world.test_fast_robots import energy, robot

import rbdyn
from rbdyn import io


def panda(friction, fingers):
    mechanism = io.load_urdf(robot("panda_description/urdf/panda.urdf"), floating=False)
    for joint in mechanism.tree_joints:
        joint.friction = fingers if "finger" in joint.name else friction
    return mechanism


def test_a_limp_panda_falls_for_a_minute():
    """Limits of places and speeds, friction, mimic fingers: nothing is passed, energy only falls."""
    world = World(1e-3)
    arm = world.add_articulated_system(panda(0.1, 0.1))
    lower, upper = arm.joint_limits
    fastest = arm.velocity_limits
    assert np.isfinite([lower, upper, fastest]).all()
    arm.set_state(0.5 * (lower + upper))
    last, gained, slowed = energy(arm), 0.0, 0
    first = last
    for _ in range(60_000):
        world.step()
        q = arm.q
        assert (q >= lower - 1e-6).all() and (q <= upper + 1e-6).all()
        assert (np.abs(arm.v) <= fastest * (1 + 1e-6)).all()
        assert abs(q[7] - q[8]) < 1e-7
        slowed += bool(arm.velocity_limit_force.any())
        now = energy(arm)
        gained, last = gained + max(0.0, now - last), now
    assert gained < 1e-5 * first
    assert last < 0.3 * first and slowed > 10
    assert np.abs(arm.v).max() < 1e-6


def test_a_panda_grasps_a_box_lifts_it_and_shakes_it():
    """20 N on one finger, the other follows; 2 Hz with 8 m/s^2 for 20 s.

    The box moves along tangents, the fingers along arcs: were contacts not bent by half of the difference, it would
    creep by 0.1 mm/s.
    """
    world = World(1e-3)
    arm = world.add_articulated_system(panda(0.1, 0.5), self_collision=False)
    q = np.array([0, 0.3, 0, -2.2, 0, 2.5, 0.785, 0.04, 0.04])
    arm.set_state(q)
    arm.set_pd_gains([600, 600, 600, 600, 250, 150, 50, 0, 0], [50, 50, 50, 50, 30, 25, 15, 5, 0])
    table = world.add_box(0.1, 0.1, 0.1, 1.0)
    table.body_type = "static"
    table.set_pose((0.556, 0, 0.05))
    box = world.add_box(0.05, 0.05, 0.05, 0.2)
    box.set_pose((0.556, 0, 0.125))

    def drive(seconds, angle, speed):
        """The shoulder along a way; gravity is compensated, the first finger closes."""
        for k in range(round(seconds / world.time_step)):
            t = (k + 1) * world.time_step
            arm.set_pd_target(np.append([0, angle(t)], q[2:]), np.append([0, speed(t)], np.zeros(7)))
            arm.set_generalized_force(np.append(rbdyn.bias_forces(arm.state)[:7], [-20.0, 0.0]))
            world.step()

    def held():
        hand = arm.body_pose("panda_hand")
        return np.hstack([hand[:3, :3].T @ (box.position - hand[:3, 3]), (hand[:3, :3].T @ box.rotation).ravel()])

    drive(0.5, lambda t: 0.3, lambda t: 0.0)
    assert arm.mimic_force[8] == -arm.mimic_force[7] and abs(abs(arm.mimic_force[8]) - 10.0) < 0.5
    drive(1.0, lambda t: 0.3 * (1 + np.cos(np.pi * t)) / 2, lambda t: -0.15 * np.pi * np.sin(np.pi * t))
    start, w = held(), 4 * np.pi
    assert box.position[2] > 0.28
    for second in range(20):
        drive(1.0, lambda t: 0.05 * np.sin(w * t), lambda t: 0.05 * w * np.cos(w * t))
        moved = np.abs(held() - start)
        assert moved[:3].max() < 5e-6 + 1e-6 * second
        assert moved[3:].max() < 2e-4 + 2e-4 * second                 # it comes to bear on some of its corners
        assert abs(arm.q[7] - arm.q[8]) < 1e-7


def test_a_box_stays_where_a_fast_hand_holds_it():
    """Five joints shake a box at 2 Hz, with 10 m/s^2 and more, about several axes: it crept by 0.8 mm/s."""
    world = World(1e-3)
    world.set_default_material(friction=1.0)
    arm = world.add_articulated_system(panda(0.0, 0.0), self_collision=False)
    q = np.array([0, 0.3, 0, -2.0, 0, 2.3, 0.78, 0.04, 0.04])
    arm.set_state(q)
    arm.set_pd_gains([6000] * 7 + [3000] * 2, [300] * 7 + [100] * 2)
    arm.set_pd_target(q)
    world.step(200)
    box, hand = world.add_box(0.04, 0.04, 0.04, 0.3), arm.body_pose("panda_hand")
    box.set_pose(hand[:3, 3] + 0.105 * hand[:3, 2], hand[:3, :3])
    weld = world.add_weld((arm, "panda_hand"), box)
    q[7:] = 0.0
    arm.set_pd_target(q)
    world.step(500)
    world.remove(weld)
    world.step(200)

    def held():
        hand = arm.body_pose("panda_hand")
        return np.hstack([hand[:3, :3].T @ (box.position - hand[:3, 3]), (hand[:3, :3].T @ box.rotation).ravel()])

    start, fastest = held(), 0.0
    for k in range(1000):
        swing = 0.2 * np.sin(4 * np.pi * k * world.time_step) * np.array([1, 0.5, 0, 0.5, 0, 1, 0, 0, 0])
        arm.set_pd_target(q + swing)
        world.step()
        fastest = max(fastest, np.linalg.norm(box.linear_velocity))
        assert np.abs(held() - start).max() < 3e-5
    assert fastest > 0.8
