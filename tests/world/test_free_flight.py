"""Articulated systems that nothing touches: second order in time, exact momentum, bounded under stiff control."""

import numpy as np
import pytest
from world.scenes import World, about_centre, random_quat, standing_quadruped

import rbdyn
from rbdyn import models
from rbdyn.contact import BisectionSolver
from rbdyn.testing.random_mechanisms import rand_floating_tree_mechanism, rand_tree_mechanism

KINDS = [rbdyn.Revolute, rbdyn.Spherical, rbdyn.Prismatic, rbdyn.Revolute, rbdyn.Planar, rbdyn.Helical] * 2


def without_losses(mechanism, limits=False):
    for joint in mechanism.tree_joints:
        joint.damping = joint.friction = 0.0
        joint.velocity_limit = None
        if not limits:
            joint.position_limits = None
    return mechanism


def energy(state):
    return rbdyn.kinetic_energy(state) + rbdyn.potential_energy(state)


def chain(count=20, mass=1.0, length=0.1):
    """Links that hang down, on hinges about x and y by turns."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    last = mechanism.root_body
    for k in range(count):
        inertia = rbdyn.SpatialInertia(mass, (0, 0, -length / 2), mass * length**2 * np.eye(3))
        link = rbdyn.RigidBody(f"link{k}", inertia)
        hinge = rbdyn.Joint(f"joint{k}", rbdyn.Revolute((1, 0, 0) if k % 2 else (0, 1, 0)))
        at = rbdyn.Transform(translation=(0, 0, -length if k else 0))
        mechanism.attach(last, link, hinge, joint_pose=at)
        last = link
    return mechanism


def test_a_tumbling_quadruped_keeps_its_momentum_and_energy():
    """2 s in flight at 1 ms; the first-order rule was off by 2e-3 of L, 2e-4 of P and 4e-2 of the kinetic energy."""
    mechanism = without_losses(models.quadruped())
    for seed in range(3):
        rng = np.random.default_rng(seed)
        world = World(1e-3)
        robot = world.add_articulated_system(mechanism, self_collision=False)
        robot.set_state(v=np.concatenate([[0.5, 0.2, 1.0], 2.0 * rng.normal(size=3), rng.normal(size=12)]))
        h, E, K = about_centre(robot.state), energy(robot.state), rbdyn.kinetic_energy(robot.state)
        start, turned = rbdyn.center_of_mass(robot.state), robot.body_pose("base")[:3, :3]
        for _ in range(20):
            world.step(100)
            now, t = about_centre(robot.state), world.time
            P = h[3:] + robot.total_mass * world.gravity * t
            assert np.abs(now[:3] - h[:3]).max() < 1e-11 * np.linalg.norm(h[:3])
            assert np.abs(now[3:] - P).max() < 1e-12 * np.linalg.norm(P)
            assert abs(energy(robot.state) - E) < 2e-6 * K
            way = h[3:] / robot.total_mass * t + 0.5 * world.gravity * t * t
            assert rbdyn.center_of_mass(robot.state) - start == pytest.approx(way, abs=1e-11)
        assert np.trace(turned.T @ robot.body_pose("base")[:3, :3]) < 2.5


def test_a_chain_of_twenty_links_keeps_its_energy():
    """5 s at 5 ms, from a random pose: first order diverged."""
    world = World(5e-3)
    robot = world.add_articulated_system(chain(), self_collision=False)
    robot.set_state(0.3 * np.random.default_rng(0).normal(size=20))
    E, fastest = energy(robot.state), 0.0
    for _ in range(1000):
        world.step()
        assert abs(energy(robot.state) - E) < 0.5
        fastest = max(fastest, rbdyn.kinetic_energy(robot.state))
    assert fastest > 10.0


def run(mechanism, dt, time, start, wind=None, springs=False, integrator="trapezoid"):
    """q, v, the gain of energy and that of momentum (6,) after a time."""
    world = World(dt)
    world.integrator = integrator
    robot = world.add_articulated_system(mechanism, self_collision=False)
    robot.set_state(*start)
    if springs:
        robot.set_pd_gains(20.0, 0.4)
        robot.set_pd_target(robot.model.neutral())
    E, h = energy(robot.state), about_centre(robot.state)
    for _ in range(round(time / dt)):
        if wind is not None:
            robot.set_external_force(robot.joint_names[-1], wind)
            robot.set_external_torque(robot.body_names[1], wind)
        world.step()
    return robot.model, robot.q, robot.v, energy(robot.state) - E, about_centre(robot.state) - h


def random_flight(floating, what, seed):
    """A random tree, where it starts, and what acts on it."""
    rng = np.random.default_rng(seed)
    make = rand_floating_tree_mechanism if floating else rand_tree_mechanism
    mechanism = without_losses(make(KINDS, seed=seed))
    for joint in mechanism.tree_joints:
        if what == "springs" and not isinstance(joint.joint_type, rbdyn.Floating):
            joint.stiffness, joint.damping = 15.0, 0.2
    model = rbdyn.Model(mechanism)
    start = model.random(rng), 0.7 * rng.normal(size=model.nv)
    options = {"wind": 3.0 * rng.normal(size=3) if what == "wind" else None, "springs": what == "springs"}
    return mechanism, model, start, options


@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("what", ["free", "wind", "springs"])
def test_halving_the_step_divides_the_errors_by_four(floating, what, seed):
    """Energy, momentum, position and velocity of random trees, against steps 16 times smaller."""
    mechanism, model, start, options = random_flight(floating, what, seed)
    dt, time = 2e-3, 0.2
    exact, *ends = (run(mechanism, h, time, start, **options) for h in (dt / 16, dt, dt / 2, dt / 4))
    errors = []
    for end in ends:
        errors.append([
            np.linalg.norm(rbdyn.difference(model, end[1], exact[1])), np.linalg.norm(end[2] - exact[2]),
            abs(end[3] - exact[3]), np.linalg.norm(end[4] - exact[4]) if not floating or what == "wind" else 0.0])
    coarse, middle, fine = np.array(errors)
    large = coarse > 1e-7                          # where terms of higher order are far below
    assert large[:2].all()
    # against a sixteenth of the step: (1 - 1/256) / (1/4 - 1/256) = 4.05, and (1/4 - 1/256) / (1/16 - 1/256) = 4.2
    assert coarse[large] / middle[large] == pytest.approx(4.05, abs=0.5)
    assert middle[large] / fine[large] == pytest.approx(4.2, abs=0.5)


@pytest.mark.parametrize("floating", [True, False])
def test_stiff_control_is_bounded_for_all_gains(floating, seed):
    """kd = dt kp, from 1 to 1e10: kinetic energy and that of the springs stay below what they began with."""
    make = rand_floating_tree_mechanism if floating else rand_tree_mechanism
    mechanism = without_losses(make(KINDS, seed=seed))
    free = 6 if floating else 0
    for kp in 10.0 ** np.arange(0, 11, 2):
        for dt in (1e-3, 1e-2):
            rng = np.random.default_rng(seed)
            world = World(dt, gravity=(0, 0, 0))
            robot = world.add_articulated_system(mechanism, self_collision=False)
            robot.set_state(robot.model.random(rng), rng.normal(size=robot.nv))
            robot.set_pd_gains(kp, dt * kp)
            robot.set_pd_target(rbdyn.integrate(robot.model, robot.q, 0.5 * rng.normal(size=robot.nv)))
            highest = 0.0
            for k in range(200):
                error = rbdyn.difference(robot.model, robot.q, robot.pd_target[0])[free:]
                total = rbdyn.kinetic_energy(robot.state) + 0.5 * kp * error @ error
                if k == 0:
                    first = total
                highest = max(highest, total)
                world.step()
            assert highest < 1.01 * first


def test_joints_on_their_stops_cost_neither_momentum_nor_order():
    """Legs that swing to their limits: the energy made falls with the square of the step, momentum is exact."""
    mechanism = without_losses(models.quadruped(), limits=True)
    rises = []
    for dt in (4e-3, 2e-3, 1e-3):
        rng = np.random.default_rng(0)
        world = World(dt, gravity=(0, 0, 0))
        robot = world.add_articulated_system(mechanism, self_collision=False)
        robot.set_state(v=np.append(np.zeros(3), 2.0 * rng.normal(size=18)[3:]))
        h, first = about_centre(robot.state), energy(robot.state)
        now, rise = first, 0.0
        for _ in range(round(0.6 / dt)):
            world.step()
            before, now = now, energy(robot.state)
            rise += max(0.0, now - before)
        rises.append(rise)
        assert now < 0.7 * first
        assert about_centre(robot.state) == pytest.approx(h, abs=1e-12 * np.abs(h).max())
    assert rises[-1] < 1e-5
    assert rises[0] / rises[1] > 3.5 and rises[1] / rises[2] > 3.5


def test_the_state_alone_decides_what_follows():
    """A run that is stopped, copied into another World and set again goes on with the same bits."""
    mechanism = without_losses(models.quadruped())
    rng = np.random.default_rng(1)
    first, second = World(1e-3), World(1e-3)
    robot, copy = (w.add_articulated_system(mechanism, self_collision=False) for w in (first, second))
    v = rng.normal(size=18)
    robot.set_state(v=v)
    for _ in range(5):
        first.step(7)
        copy.set_state(robot.q, robot.v)
        first.step(3)
        second.step(3)
        np.testing.assert_array_equal(copy.q, robot.q)
        np.testing.assert_array_equal(copy.v, robot.v)
        robot.set_state(robot.q, robot.v + 0.1)        # not where the step left it
    h = about_centre(robot.state)
    first.step(100)
    assert about_centre(robot.state)[:3] == pytest.approx(h[:3], abs=1e-12 * np.abs(h).max())


def two_floating_trees(rng):
    """On one root, at turned poses, three bodies each."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for tree in range(2):
        last = mechanism.root_body
        for k in range(3):
            A = rng.normal(size=(3, 3))
            inertia = np.trace(A @ A.T) * np.eye(3) - A @ A.T
            body = rbdyn.RigidBody(f"{tree}{k}", rbdyn.SpatialInertia(1.0 + tree, 0.1 * rng.normal(size=3), inertia))
            kind = rbdyn.Revolute(rng.normal(size=3)) if k else rbdyn.Floating()
            pose = rbdyn.Transform(quat=random_quat(rng), translation=rng.normal(size=3))
            mechanism.attach(last, body, rbdyn.Joint(f"joint{tree}{k}", kind), joint_pose=pose)
            last = body
    return mechanism


def test_trees_that_float_side_by_side_keep_a_momentum_each():
    rng = np.random.default_rng(2)
    world = World(1e-2, gravity=(0, 0, 0))
    robot = world.add_articulated_system(two_floating_trees(rng), self_collision=False)
    robot.set_state(v=rng.normal(size=robot.nv))

    def momenta():
        """Of each tree about the world's origin: the other's bodies stand still, and have none."""
        found = []
        for tree in range(2):
            alone, v = robot.state.copy(), robot.v.copy()
            for k in range(3):
                at = robot.model.joint_v_index(f"joint{1 - tree}{k}")
                v[at : at + (1 if k else 6)] = 0.0
            alone.set(v=v, q=robot.q)
            found.append(rbdyn.momentum(alone))
        return np.array(found)

    h = momenta()
    assert np.abs(h).min() > 1e-3
    world.step(200)
    assert momenta() == pytest.approx(h, abs=1e-11)


def test_gravity_and_wrenches_change_momentum_by_their_impulse():
    """dt (n + p x f + c x m g, f + m g) about the world's origin, p and c in the mean; the root itself is turned."""
    rng = np.random.default_rng(3)
    dt = 1e-2
    world = World(dt, gravity=(1.0, -2.0, -9.0))
    robot = world.add_articulated_system(two_floating_trees(rng), self_collision=False)
    robot.set_base_pose((0.3, -0.2, 0.5), random_quat(rng))
    robot.set_state(v=rng.normal(size=robot.nv))
    g = robot.total_mass * world.gravity
    for joint in ("joint02", "joint11", "joint10"):
        before = robot.state.copy()
        f, n = rng.normal(size=(2, 3))
        robot.set_external_force(joint, f)
        robot.set_external_torque(joint, n)
        world.step()
        p = 0.5 * (rbdyn.body_pose(before, joint) + robot.body_pose(joint))[:3, 3]
        c = 0.5 * (rbdyn.center_of_mass(before) + rbdyn.center_of_mass(robot.state))
        impulse = dt * np.append(n + np.cross(p, f) + np.cross(c, g), f + g)
        assert rbdyn.momentum(robot.state) - rbdyn.momentum(before) == pytest.approx(impulse, abs=1e-12)


@pytest.mark.parametrize(("damping", "rotor", "force"), [(3.0, 0.0, 0.0), (0.0, 0.0, 5.0), (0.0, 0.5, 5.0)])
def test_what_holds_a_base_is_not_overruled(damping, rotor, force):
    """A damper between the world and a floating base slows it as on rails, a rotor resists, and a force pushes."""
    m, J, dt = 2.0, 0.1, 1e-2
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    body = rbdyn.RigidBody("body", rbdyn.SpatialInertia(m, (0, 0, 0), J * np.eye(3)))
    free = rbdyn.Joint("free", rbdyn.Floating(), damping=damping, rotor_inertia=rotor)
    mechanism.attach(mechanism.root_body, body, free)
    world = World(dt, gravity=(0, 0, 0))
    robot = world.add_articulated_system(mechanism)
    robot.set_state(v=[0.7, 0, 0, 0, 0, 0])
    robot.set_generalized_force([0, force, 0, 0, 0, 0.2 * force])
    world.step(50)
    z = dt * damping / m
    slowed = 0.7 * ((1 - 0.5 * z) / (1 + 0.5 * z)) ** 50
    turning = 0.1 * force / (J + rotor)
    assert robot.v == pytest.approx([slowed, 0.5 * force / (m + rotor), 0, 0, 0, turning], abs=1e-12)


def test_a_robot_that_lands_flies_again():
    """Contact in between: in flight the momentum is that of the moment before, and standing is as it was."""
    world = World(1e-3)
    world.add_ground()
    robot = standing_quadruped(world)
    world.step(300)
    assert len(world.contacts) >= 4
    assert np.abs(robot.v).max() < 0.05
    robot.set_state(v=np.append([0.3, 0.0, 2.0, 0.5, 1.0, -0.3], np.zeros(12)))
    world.step(20)
    assert not world.contacts
    h = about_centre(robot.state)
    world.step(200)
    assert not world.contacts
    expected = h + np.append(np.zeros(3), robot.total_mass * world.gravity * 0.2)
    assert about_centre(robot.state) == pytest.approx(expected, abs=1e-11)


def spheres_on_hinges(count, turn):
    """A floating ball with arms that end in balls; each arm starts at its angle on one circle."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    hub = ball("hub", (0.0, 0.0, 0.0))
    mechanism.attach(mechanism.root_body, hub, rbdyn.Joint("free", rbdyn.Floating()))
    for k in range(count):
        arm = ball(f"arm{k}", (0.5, 0.0, 0.0))
        pose = rbdyn.Transform(rpy=(0.3 * k, 0.0, turn * k))
        mechanism.attach(hub, arm, rbdyn.Joint(f"hinge{k}", rbdyn.Revolute((0, 0, 1))), joint_pose=pose)
    return mechanism


def ball(name, at):
    body = rbdyn.RigidBody(name, rbdyn.SpatialInertia(1.0, at, 0.01 * np.eye(3)))
    body.collision.append(rbdyn.Geometry(rbdyn.collision.Sphere(0.1), rbdyn.Transform(translation=at)))
    return body


def test_a_robot_that_hits_itself_keeps_its_momentum():
    """Arms that swing against one another with friction, in flight: exact to rounding, and no energy is made."""
    world = World(2e-3, gravity=(0.5, 0.0, -9.81))
    robot = world.add_articulated_system(spheres_on_hinges(3, 0.9))
    robot.set_state(v=[0.3, -0.2, 0.1, 1.0, 2.0, -0.5, 3.0, 0.0, -3.0])
    h, K, touching = about_centre(robot.state), rbdyn.kinetic_energy(robot.state), 0
    for _ in range(300):
        world.step()
        touching += len(world.contacts) > 0
        P = h[3:] + robot.total_mass * world.gravity * world.time
        now = about_centre(robot.state)
        assert now[:3] == pytest.approx(h[:3], abs=1e-12)
        assert now[3:] == pytest.approx(P, abs=1e-11)
    start = 0.5 * h[3:] @ h[3:] / robot.total_mass
    inner = rbdyn.kinetic_energy(robot.state) - 0.5 * now[3:] @ now[3:] / robot.total_mass
    assert touching > 3
    assert inner < 0.99 * (K - start)


def test_robots_that_collide_in_flight_keep_their_momentum(seed):
    """Two quadrupeds and a ball, all limbs in motion, with friction and rolling friction: linear momentum is exact."""
    world, rng = World(4e-3, gravity=(0.2, 0.0, -3.0)), np.random.default_rng(seed)
    world.set_default_material(0.7, 0.3, rolling_friction=0.01, torsional_friction=0.01)
    robots = [world.add_articulated_system(models.quadruped(), name=f"dog{k}") for k in range(2)]
    for k, robot in enumerate(robots):
        q, v = robot.q.copy(), rng.normal(size=robot.nv)
        q[:3], v[1] = (0.0, 1.0 * k, 0.0), 2.0 - 4.0 * k
        robot.set_state(q, v)
    body = world.add_sphere(0.1, 5.0)
    body.set_pose((0.0, -1.0, 0.0))
    body.set_velocity((0.0, 6.0, 0.0), (1.0, 2.0, 3.0))

    def momentum():
        return sum(rbdyn.momentum(robot.state)[3:] for robot in robots) + 5.0 * body.linear_velocity

    start, mass, touching = momentum(), 5.0 + sum(robot.total_mass for robot in robots), set()
    for _ in range(150):
        world.step()
        touching |= {frozenset((c.object_a.name, c.object_b.name)) for c in world.contacts}
        assert momentum() == pytest.approx(start + mass * world.gravity * world.time, abs=1e-10)
    assert {frozenset(("dog0", "dog1")), frozenset(("dog0", body.name))} <= touching


@pytest.mark.parametrize("on_a_box", [False, True])
def test_what_stands_is_not_moved_by_its_momentum(on_a_box):
    """Feet on the ground, or on a heavy plate that stands there, stay where they are: J(q) v+ and its bend cancel."""
    world = World(2e-3, contact=BisectionSolver(threshold=1e-12, max_iterations=2000))
    robot = standing_quadruped(world)
    if on_a_box:
        world.add_box(2.0, 2.0, 0.2, mass=1e6).set_pose((0.0, 0.0, 0.1))
    world.add_ground()                                                 # last: what holds the robot is found backwards
    q = robot.q.copy()
    q[2] += 0.2 * on_a_box
    robot.set_state(q)
    world.step(300)
    before, slips, speeds, fresh = rbdyn.State(robot.model), [], [], []
    for k in range(100):
        target = q.copy()
        target[7:] += 0.1 * np.sin(0.1 * k)
        robot.set_pd_target(target)
        start, known = robot.q.copy(), k % 2 == 0
        if not known:
            robot.set_state(start, robot.v)                            # its contacts have no trail: nothing is bent
        world.step()
        before.set(start, robot.v)
        for contact in world.contacts:
            if robot not in contact.objects or np.linalg.norm(contact.impulse) < 1e-3:
                continue
            force = contact.force_on(robot)
            if np.hypot(*force[:2]) > 0.75 * force[2]:                 # it slides, or nearly
                continue
            foot = contact.body_a if contact.object_a is robot else contact.body_b
            at = np.linalg.inv(rbdyn.body_pose(before, foot)) @ [*contact.position, 1.0]
            speed = np.abs(rbdyn.point_velocity(before, foot, at[:3])[:2]).max()
            if not known:
                fresh.append(speed)
                continue
            way = (rbdyn.body_pose(robot.state, foot) @ at)[:2] - contact.position[:2]
            slips.append(np.abs(way).max() / world.time_step)
            speeds.append(speed)
    assert min(len(slips), len(fresh)) > 75
    assert np.quantile(fresh, 0.9) < 1e-12                             # J(q) v+ = 0: some are about to let go
    assert np.quantile(slips, 0.9) < 0.2 * np.quantile(speeds, 0.9)    # some are about to let go
    assert np.quantile(speeds, 0.9) > 2e-3                             # so fast they would creep without it
    assert np.abs(robot.v[6:]).max() > 0.1


def test_trees_of_one_system_push_each_other():
    """Two floating balls on one root: contact between trees is from outside of each, and both take part."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for k in range(2):
        free = rbdyn.Joint(f"free{k}", rbdyn.Floating())
        mechanism.attach(mechanism.root_body, ball(f"ball{k}", (0.0, 0.0, 0.0)), free)
    world = World(1e-3, gravity=(0, 0, 0))
    world.set_default_material(restitution=1.0)
    robot = world.add_articulated_system(mechanism)
    q = robot.q.copy()
    q[robot.model.joint_q_index("free1")] = 0.3
    robot.set_state(q, [1.0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])
    world.step(300)
    assert robot.v[[0, 6]] == pytest.approx([0.0, 1.0], abs=1e-9)


def test_the_root_of_a_system_stops_what_falls_on_it():
    """An arm of a floating hub falls onto a plate that the mechanism itself carries: contact from outside its tree."""
    mechanism = spheres_on_hinges(1, 0.0)
    mechanism.root_body.collision.append(rbdyn.Geometry(rbdyn.collision.Box((4.0, 4.0, 0.2))))
    world = World(2e-3)
    robot = world.add_articulated_system(mechanism)
    q = robot.q.copy()
    q[2] = 0.25
    robot.set_state(q)
    for _ in range(60):
        world.step()
        assert robot.body_pose("arm0")[2, 3] + 0.5 * robot.body_pose("arm0")[2, 0] > 0.195
    impulse = rbdyn.momentum(robot.state)[5] - robot.total_mass * world.gravity[2] * world.time
    assert impulse > 0.5


# ---- the Runge-Kutta method, on request --------------------------------------------------------------------------


@pytest.mark.parametrize("floating", [True, False])
@pytest.mark.parametrize("what", ["free", "wind", "springs"])
def test_rk4_divides_the_errors_by_sixteen(floating, what, seed):
    """At steps in which no joint turns by an eighth of a radian, so that none is taken in parts."""
    mechanism, model, start, options = random_flight(floating, what, seed)
    dt = 2.5e-3 if what == "springs" else 5e-3
    exact, *ends = (run(mechanism, h, 0.4, start, **options, integrator="rk4") for h in (dt / 8, dt, dt / 2))
    coarse, fine = (np.hypot(np.linalg.norm(rbdyn.difference(model, end[1], exact[1])),
                             np.linalg.norm(end[2] - exact[2])) for end in ends)
    assert coarse > 1e-10
    assert coarse / fine == pytest.approx(16.0, abs=2.5)
    if what == "free":
        assert exact[3] == pytest.approx(0.0, abs=1e-7)


@pytest.mark.parametrize("turn", [0.25, 0.5])
def test_rk4_keeps_the_energy_of_fast_chains(turn, seed):
    """Joints that turn by so much in a step are moved in parts, as by default: one step gained up to 3 %."""
    dt = 5e-3
    world = World(dt, gravity=(0, 0, 0))
    world.integrator = "rk4"
    robot = world.add_articulated_system(chain(4), self_collision=False)
    v = np.random.default_rng(seed).normal(size=4)
    robot.set_state(v=turn / dt * v / np.abs(v).max())
    start = rbdyn.kinetic_energy(robot.state)
    for _ in range(200):
        world.step()
        assert rbdyn.kinetic_energy(robot.state) == pytest.approx(start, rel=2e-3)


def test_rk4_moves_as_simulate_does():
    mechanism = without_losses(models.quadruped())
    world = World(1e-3)
    world.integrator = "rk4"
    robot = world.add_articulated_system(mechanism, self_collision=False)
    robot.set_state(v=np.random.default_rng(5).normal(size=18))
    state = robot.state.copy()
    rbdyn.simulate(state, 0.1, 1e-3)
    world.step(100)
    assert np.abs(state.v - rbdyn.State(robot.model).v).max() > 1.0
    assert robot.q == pytest.approx(state.q, abs=1e-12)
    assert robot.v == pytest.approx(state.v, abs=1e-12)


def test_rk4_applies_the_mean_of_its_stages():
    """M (v+ - v) / dt of a mass on a rail, under PD control within its effort limit and beyond it."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    cart = rbdyn.RigidBody("cart", rbdyn.SpatialInertia(2.0, (0, 0, 0), np.eye(3)))
    mechanism.attach(mechanism.root_body, cart, rbdyn.Joint("rail", rbdyn.Prismatic((1, 0, 0)), effort_limit=8.0))
    world = World(5e-2)
    world.integrator = "rk4"
    robot = world.add_articulated_system(mechanism)
    robot.set_pd_gains(20.0, 1.0)
    robot.set_pd_target([1.0])
    forces = []
    for _ in range(40):
        before = robot.v[0]
        world.step()
        forces.append(robot.applied_force[0])
        assert forces[-1] == pytest.approx(2.0 * (robot.v[0] - before) / 5e-2, abs=1e-12)
    assert forces[0] == pytest.approx(8.0, abs=1e-12) and min(forces) < -1.0


def test_rk4_is_the_default_in_contact_and_at_limits():
    """The same bits, while feet stand and while a joint rests on its stop."""
    found = []
    for integrator in ("trapezoid", "rk4"):
        world = World(2e-3)
        world.integrator = integrator
        world.add_ground()
        robot = standing_quadruped(world)
        q = robot.q.copy()
        q[2] -= robot.body_pose("LF_FOOT")[2, 3]
        robot.set_state(q)
        arm = world.add_articulated_system(without_losses(models.six_axis_arm(), limits=True), self_collision=False)
        arm.set_base_pose((50.0, 0.0, 5.0))
        at = np.array([joint.position_limits[1] for joint in arm.mechanism.tree_joints if joint.position_limits])
        arm.set_state(at)
        arm.set_generalized_force(np.full(6, 500.0))
        for _ in range(20):
            world.step()
            assert world.contacts
        found += [robot.q, robot.v, arm.q, arm.v]
    for one, other in zip(found[:4], found[4:], strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("dt", [1e-3, 5e-4])
def test_a_top_on_a_ball_joint_precesses_and_keeps_its_energy(dt):
    """Steady: m g l = W (I3 w3 - W (I1 + m l^2) cos(tilt)).  A rule of second order gained energy for ever."""
    mass, length, tilt, spin, across, along = 1.0, 0.1, np.pi / 3, 80.0, 0.002, 0.003
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    inertia = rbdyn.SpatialInertia(mass, (0, 0, length), np.diag([across, across, along]))
    mechanism.attach(mechanism.root_body, rbdyn.RigidBody("top", inertia), rbdyn.Joint("tip", rbdyn.Spherical()))
    about_tip = across + mass * length**2
    roots = np.roots([-about_tip * np.cos(tilt), along * spin, -mass * 9.81 * length])
    precession = min(roots, key=abs).real
    world = World(dt, gravity=(0, 0, -9.81))
    top = world.add_articulated_system(mechanism)
    axis = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    turning = np.array([0.0, 0.0, precession])
    turning += axis * (spin - turning @ axis)
    orientation = np.array([np.cos(tilt / 2), 0.0, np.sin(tilt / 2), 0.0])
    top.set_state(orientation, turning)
    start, time = energy(top.state), 5.0
    world.step(round(time / dt))
    z = top.body_poses[-1][:3, 2]
    assert abs(energy(top.state) - start) < 2e-6 * start
    assert np.arccos(z[2]) == pytest.approx(tilt, abs=2e-3)
    angle = np.arctan2(z[1], z[0]) - precession * time
    assert abs((angle + np.pi) % (2 * np.pi) - np.pi) < 1e-2


def test_a_planar_joint_that_spins_fast_keeps_its_energy():
    """A pendulum on a plate that turns by 0.3 rad in a step: what its plane turns by counts, not what it slides by."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("root"), gravity=(0, 0, -9.81))
    plate = rbdyn.RigidBody("plate", rbdyn.SpatialInertia(1.0, (0.1, 0, 0), np.diag([0.02, 0.03, 0.04])))
    rod = rbdyn.RigidBody("rod", rbdyn.SpatialInertia(0.5, (0, 0, -0.3), np.diag([0.03, 0.03, 0.004])))
    mechanism.attach(mechanism.root_body, plate, rbdyn.Joint("plane", rbdyn.Planar()))
    beside = rbdyn.Transform(translation=(0, 0.2, 0))
    mechanism.attach(plate, rod, rbdyn.Joint("hinge", rbdyn.Revolute((1, 0, 0))), beside)
    world = rbdyn.World(2e-3)
    robot = world.add_articulated_system(mechanism)
    robot.set_state((0.0, 0.0, 0.0, 0.5), (1.0, 0.5, 150.0, 2.0))
    moved = rbdyn.kinetic_energy(robot.state)
    start = moved + rbdyn.potential_energy(robot.state)
    for _ in range(500):
        world.step()
        now = rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)
        assert abs(now - start) < 1e-4 * moved
    assert 2e-3 * np.abs(robot.v[2]) > 0.15
