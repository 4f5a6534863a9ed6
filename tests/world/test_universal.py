"""A universal joint in a World is two revolute ones with a body without mass between them; limits of each angle."""

import numpy as np
import pytest
from reference.compare import close
from reference.in_series import in_series

import rbdyn
from rbdyn import Joint, Mechanism, Planar, Revolute, RigidBody, SpatialInertia, Transform, Universal, World
from rbdyn.collision.shapes import Sphere
from rbdyn.mechanism import Geometry
from rbdyn.testing.random_mechanisms import random_inertia

STEPS = 300
RTOL = 1e-12


def arm(rng, floating, **joint):
    """Universal, revolute, universal, on the world or on a floating trunk, with a ball at its end."""
    m = Mechanism(RigidBody("world"))
    parent = m.root_body
    if floating:
        parent = RigidBody("trunk", random_inertia(rng))
        m.attach(m.root_body, parent, Joint("base", rbdyn.Floating()))
    for k, kind in enumerate((Universal((0, 1, 1), (1, 0, 0)), Revolute((1, 2, 3)), Universal((1, 0, 1), (0, 1, 0)))):
        body = RigidBody(f"link{k}", random_inertia(rng))
        words = joint if isinstance(kind, Universal) else {}
        m.attach(parent, body, Joint(f"j{k}", kind, **words), Transform(translation=(0.1, 0.05 * k, -0.4)),
                 Transform(rpy=(0.1, 0.2, 0.3 * k)))  # fmt: skip
        parent = body
    parent.collision.append(Geometry(Sphere(0.15), Transform()))
    return m


CASES = {
    "free": {},
    "limits": {"position_limits": [(-0.3, 0.25), (-0.2, 0.4)]},
    "bouncing limits": {"position_limits": [(-0.3, 0.25), (-0.2, 0.4)], "limit_restitution": 0.5},
    "soft limits": {"position_limits": [(-0.3, 0.25), None], "limit_softness": (1e-3, 2.0)},
    "friction": {"friction": 0.4, "static_friction": 0.6},
    "damping": {"damping": 0.3},
    "damping and rotors": {"damping": 0.3, "rotor_inertia": 0.05},
    "stiff damping": {"damping": 5e3},
    "stiff damping and light rotors": {"damping": 200.0, "rotor_inertia": 1e-4},
    "springs": {"stiffness": 20.0, "spring_reference": [0.2, -0.1], "damping": 0.2, "rotor_inertia": 0.05},
    "speed limits": {"velocity_limit": 0.7},
    "motors": {"effort_limit": 1.5, "rotor_inertia": 0.05},
}


def both_worlds(case, floating, ground, integrator, seed):
    worlds, robots = [], []
    for turn in (lambda m: m, in_series):
        rng = np.random.default_rng([seed, 9])
        world = World(1e-3)
        world.integrator = integrator
        if ground:
            world.add_ground(-0.9)
        robot = world.add_articulated_system(turn(arm(rng, floating, **CASES[case])), name="arm")
        q, v = robot.model.neutral(), rng.uniform(-1.5, 1.5, robot.nv)
        q[-5:] = rng.uniform(-0.2, 0.2, 5)
        robot.set_state(q, v)
        if case == "motors":
            robot.set_pd_gains(p=np.r_[np.zeros(robot.nv - 5), 5 * [60.0]], d=np.r_[np.zeros(robot.nv - 5), 5 * [1.0]])
            target = q.copy()
            target[-5:] = 0.5
            robot.set_pd_target(target)
        worlds.append(world)
        robots.append(robot)
    return worlds, robots


@pytest.mark.parametrize("integrator", ["trapezoid", "semi_implicit"])
@pytest.mark.parametrize("case", CASES)
def test_steps(case, integrator, seed):
    """On a fixed base, or floating and falling on the ground."""
    floating = bool(seed % 2)
    worlds, (mine, theirs) = both_worlds(case, floating, floating, integrator, seed)
    for world in worlds:
        world.step(STEPS)
    assert bool(theirs.contacts) == floating
    close(mine.q, theirs.q, RTOL)
    close(mine.v, theirs.v, RTOL * 10)
    for name in ("limit_force", "friction_force", "passive_force", "applied_force", "velocity_limit_force"):
        close(getattr(mine, name), getattr(theirs, name), 1e-9)


def test_each_angle_stops_at_its_own_limit():
    """A pendulum on a universal joint that is pushed against both of its stops; the moments are what holds it."""
    m = Mechanism(RigidBody("world"))
    body = RigidBody("bob", SpatialInertia(2.0, (0, 0, -0.5), np.diag([0.6, 0.6, 0.2])))
    m.attach("world", body, Joint("cardan", Universal(), position_limits=[(-0.4, 0.3), (-0.2, 0.5)], damping=1.0))
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m)
    robot.set_generalized_force([2.0, -3.0])
    world.step(3000)
    close(robot.q, [0.3, -0.2], 1e-4)
    close(robot.limit_force, [-2.0, 3.0], 1e-9)
    found = robot.joint_limit_violations()
    assert [(one.joint, one.end) for one in found] == [("cardan", "upper 0"), ("cardan", "lower 1")]
    joint = robot.joint("cardan")
    assert joint.limits == ((-0.4, 0.3), (-0.2, 0.5)) == joint.stands_for.position_limits
    joint.limits = [(-0.1, 0.1), (-0.1, 0.2)]
    close(np.array(robot.joint_limits), [[-0.1, -0.1], [0.1, 0.2]])
    robot.set_joint_limits(joints={"cardan": [(-1.0, 1.0), None]})
    close(robot.joint_limits[0][:1], [-1.0])
    assert robot.joint_limits[1][1] == np.inf
    before = robot.joint_limits
    for bad in ((-1.0, 1.0, 2.0), [(1.0, -1.0), None], "ab", [1.0, 2.0], (-0.1, [0.1, 0.2]), ([-1, -2], [1, 2])):
        with pytest.raises(rbdyn.StateError):
            robot.set_joint_limits(joints={"cardan": bad})
        with pytest.raises(rbdyn.StateError):
            joint.limits = bad
    for bad in (([-1.0, -1.0], [1.0, 1.0]), np.array([[-1.0, -1.0], [1.0, 1.0]]), [None, (0.0, 0.0)]):
        with pytest.raises(rbdyn.StateError, match=r"one degree of freedom with lower < upper, or None"):
            joint.limits = bad
    np.testing.assert_array_equal(before, robot.joint_limits)


def test_a_nested_pair_means_the_same_everywhere(seed):
    """Joint, joint.set, joint.limits and set_joint_limits take (lower, upper) of each degree of freedom."""
    rng = np.random.default_rng(seed)
    n = 2 + seed % 2
    pairs = tuple((float(a), float(a + b)) for a, b in rng.uniform(0.1, 1.0, (n, 2)) - [1.0, 0.0])
    kind = Universal() if n == 2 else Planar()
    ways = {
        "Joint": lambda robot, joint: None,
        "set": lambda robot, joint: joint.set(position_limits=pairs),
        "limits": lambda robot, joint: setattr(joint, "limits", pairs),
        "dict": lambda robot, joint: robot.set_joint_limits(joints={"j": pairs}),
        "itself": lambda robot, joint: (joint.set(position_limits=pairs), setattr(joint, "limits", joint.limits)),
    }
    for name, way in ways.items():
        m = Mechanism(RigidBody("world"))
        body = RigidBody("bob", SpatialInertia(2.0, (0, 0, -0.5), np.diag([0.6, 0.6, 0.2])))
        m.attach("world", body, Joint("j", kind, position_limits=pairs if name == "Joint" else None))
        world = World()
        robot = world.add_articulated_system(m)
        way(robot, robot.joint("j"))
        assert robot.joint("j").limits == pairs, name
        np.testing.assert_array_equal(np.transpose(robot.joint_limits), pairs)


def test_limits_of_a_planar_joint():
    """Each of x, y and theta runs into its own stop."""
    m = Mechanism(RigidBody("world"))
    body = RigidBody("puck", SpatialInertia(2.0, (0, 0, 0), np.diag([0.6, 0.6, 0.2])))
    m.attach("world", body, Joint("table", Planar(), position_limits=[(-0.1, 0.3), None, (-0.5, 0.2)], damping=2.0))
    world = World(1e-3, gravity=(0, 0, 0))
    robot = world.add_articulated_system(m)
    robot.set_generalized_force([-5.0, 1.0, 2.0])
    world.step(4000)
    close(robot.q[[0, 2]], [-0.1, 0.2], 1e-4)
    assert robot.q[1] > 0.5
    close(robot.limit_force, [5.0, 0.0, -2.0], 1e-9)


def pendulum(dt, loop, how="eliminate", **asks):
    """A bob on a universal joint of the tree, or on a ball joint that a universal loop joint keeps from twisting."""
    m = Mechanism(RigidBody("world"))
    bob = RigidBody("bob", SpatialInertia(2.0, (0.1, 0.05, -0.5), np.diag([0.7, 0.65, 0.1])))
    cardan = Joint("cardan", Universal((1, 1, 0), (-1, 1, 0.0)), **asks)
    if loop:
        m.attach(m.root_body, bob, Joint("ball", rbdyn.Spherical()))
    m.attach(m.root_body, bob, cardan)
    world = World(dt)
    robot = world.add_articulated_system(m, loop_constraints=how)
    if loop:
        pose, twist = cardan.joint_type.pose((0.5, -0.4)), cardan.joint_type.motion_subspace((0.5, -0.4)) @ (2.0, -3.0)
        robot.set_state(pose.quat, pose.rotation @ twist[:3])
    else:
        robot.set_state((0.5, -0.4), (2.0, -3.0))
    return world, robot


@pytest.mark.parametrize("how", ["eliminate", "inloop"])
@pytest.mark.parametrize("asks", [{}, {"damping": 0.5}, {"friction": 0.4}, {"rotor_inertia": 0.3}], ids=str)
def test_a_loop_joint_holds_as_one_of_the_tree(asks, how):
    apart = []
    for dt in (2e-3, 5e-4):
        world, robot = pendulum(dt, True, how, **asks)
        other, twin = pendulum(dt / 4, False, **asks)
        worst = 0.0
        for _ in range(round(0.4 / dt)):
            world.step()
            other.step(4)
            worst = max(worst, np.abs(robot.body("bob").rotation - twin.body("bob").rotation).max())
        apart.append(worst)
        close(rbdyn.loop_error(robot), np.zeros(4), 1e-6)
    assert apart[1] < 2e-3 and apart[1] < max(0.6 * apart[0], 1e-5)
