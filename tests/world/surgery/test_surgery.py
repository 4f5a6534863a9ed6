"""Robots joined and cut while they move: momentum, energy, and all that goes on with bodies and joints."""

import numpy as np
import pytest
from world.surgery.robots import floating, link, moving, weightless
from world.surgery.sums import energy, momentum, motions

import rbdyn
from rbdyn import Fixed, Joint, Mechanism, Prismatic, Revolute, RigidBody, SpatialInertia, Spherical, Transform, World
from rbdyn.collision import NativeBackend
from rbdyn.errors import BusyError, Error, MechanismError, RemovedError

DOCKS = (Fixed(), Revolute((0, 0, 1)), Prismatic((0, 1, 0)), Spherical())


def two(seed, n=4, dt=1e-3):
    """Two floating robots at speed."""
    world = weightless(dt)
    a = moving(world, floating("a", n, seed), seed)
    b = moving(world, floating("b", n, seed + 1), seed + 1, (2.0, 0.0, 0.0))
    return world, a, b


def near(a, b, scale):
    np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-12 * scale)


# ---- laws ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dock", DOCKS, ids=lambda one: one.kind)
def test_docking_keeps_momentum_and_makes_no_energy(seed, dock):
    """Bodies of both, at any place of their trees; poses stay, velocities end as the joint has it."""
    world, a, b = two(seed)
    before, work, were = momentum(world), energy(world), motions(world)
    scale = 1.0 + np.abs(before).max() + max(np.abs(one).max() for one in were.values())
    rng = np.random.default_rng(seed)
    start, end = a.body_names[rng.integers(4)], b.body_names[rng.integers(4)]
    kept = world.merge(a, start, b, end, Joint("dock", dock), Transform(translation=(0.1, 0.2, 0.3)))
    assert kept is a
    assert world.objects == (a,)
    near(momentum(world), before, 10.0 * scale)
    assert energy(world) <= work * (1.0 + 1e-12)
    assert energy(world) < work * (1.0 - 1e-3)  # they were not at rest against each other
    for name, now in motions(world).items():
        near(now[:16], were[name][:16], scale)
    if dock.num_velocities == 0:
        relative = np.linalg.inv(a.body_pose(start)) @ a.body_pose(end)
        for _ in range(20):
            world.step()
        np.testing.assert_allclose(np.linalg.inv(a.body_pose(start)) @ a.body_pose(end), relative, atol=1e-12)
    with pytest.raises(RemovedError):
        b.body_pose(end)


def test_a_dock_is_the_nearest_motion(seed):
    """Against projection in maximal coordinates: all bodies free, rows by differences of what the robot does."""
    world, a, b = two(seed, n=3)
    were = motions(world)
    world.merge(a, "a2", b, "b1", Joint("dock", Revolute((0, 0, 1))))
    names = [body.name for body in a.mechanism.bodies[1:]]
    jacobian = np.vstack([rbdyn.point_jacobian_6d(a.state, name, (0, 0, 0)) for name in names])
    weight = np.zeros((6 * len(names), 6 * len(names)))
    for k, name in enumerate(names):
        inertia, R = a.mechanism.find_body(name).inertia, a.body_pose(name)[:3, :3]
        c = R @ inertia.com
        cross = np.array([[0, -c[2], c[1]], [c[2], 0, -c[0]], [-c[1], c[0], 0]])
        m = inertia.mass
        weight[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = np.block(
            [[R @ inertia.inertia @ R.T - m * cross @ cross, m * cross], [-m * cross, m * np.eye(3)]]
        )
    old = np.concatenate([were[name][16:] for name in names])
    root = np.linalg.cholesky(weight)
    best = np.linalg.lstsq(root.T @ jacobian, root.T @ old, rcond=None)[0]
    assert np.abs(jacobian @ best - old).max() > 1e-2
    np.testing.assert_allclose(a.v, best, atol=1e-9 * (1.0 + np.abs(best).max()))


def test_two_discs_that_are_welded():
    """Closed form: mass centre and total angular momentum give the motion of the whole."""
    world = weightless()
    discs = []
    for letter, at, velocity, spin in (
        ("a", (0, 0, 0), (1.0, 0, 0), (0, 0, 3.0)),
        ("b", (0, 1, 0), (0, 0, 2.0), (0, 0, 0)),
    ):
        m = Mechanism(RigidBody(f"{letter}_world"))
        m.attach(
            m.root_body,
            RigidBody(letter, SpatialInertia(2.0, inertia=np.diag([0.1, 0.1, 0.2]))),
            Joint(f"{letter}_base", rbdyn.Floating()),
        )
        robot = world.add_articulated_system(m)
        robot.set_state([*at, 1, 0, 0, 0], [*velocity, *spin])
        discs.append(robot)
    world.merge(discs[0], "a", discs[1], "b", Joint("weld", Fixed()))
    v = np.array([0.5, 0.0, 1.0])
    arm, slip = np.array([0.0, 0.5, 0.0]), np.array([-0.5, 0.0, 1.0])  # of b from the middle, and against it
    spin = 2 * 2.0 * np.cross(arm, slip) + 0.2 * np.array([0, 0, 3.0])
    inertia = np.diag([0.2 + 2 * 2.0 * 0.25, 0.2, 0.4 + 2 * 2.0 * 0.25])
    w = np.linalg.solve(inertia, spin)
    np.testing.assert_allclose(discs[0].v, [*(v - np.cross(w, arm)), *w], atol=1e-14)


def test_undocking_changes_nothing_that_moves(seed):
    world = weightless()
    robot = moving(world, floating("a", 6, seed), seed)
    before, work, were = momentum(world), energy(world), motions(world)
    scale = 1.0 + max(np.abs(one).max() for one in were.values())
    joint = f"a{2 + seed % 4}_j"
    part = robot.remove_joint(joint, split=True)
    assert set(world.objects) == {robot, part}
    assert part.model.floating_base
    assert robot.model.n_bodies + part.model.n_bodies == 6
    near(momentum(world), before, 10.0 * scale)
    assert energy(world) == pytest.approx(work, rel=1e-12)
    now = motions(world)
    assert set(now) == set(were)
    for name, motion in now.items():
        near(motion, were[name], scale)
    world.step(100)
    near(momentum(world), before, 100.0 * scale)


def test_a_chain_cut_and_joined_again_moves_as_one_that_never_was(seed):
    kinds = (Revolute((0, 1, 0)), Revolute((0.6, 0.0, 0.8)))
    worlds = []
    for cut in (False, True):
        world = World(1e-3)
        world.add_ground(height=-0.6)
        robot = moving(world, floating("a", 6, seed, kinds), seed)
        robot.set_pd_gains(3.0, 0.1)
        world.step(20)
        if cut:
            joint = robot.mechanism.find_joint("a3_j")
            edge, old = robot.mechanism.edge(joint), joint.copy()
            speed, v = robot.joint("a3_j").v, robot.v.copy()
            part = robot.remove_joint("a3_j", split=True)
            world.merge(robot, edge.predecessor, part, "a3", old, edge.joint_pose, edge.successor_pose.inverse())
            assert robot.joint("a3_j").v == pytest.approx(speed, abs=1e-12)
            assert sorted(robot.joint_names) == sorted({*robot.joint_names})
            assert len(robot.v) == len(v)
            gains = {j: (0.0 if j == "a_base" else 3.0) for j in robot.joint_names}
            robot.set_pd_gains(joints={"a3_j": (3.0, 0.1)})
            assert all(np.all(robot.joint(j).gains[0] == p) for j, p in gains.items() if j != "a_base")
            target = worlds[0][1].pd_target[0][worlds[0][1].model.joint_q_index("a3_j")]
            robot.set_pd_target(joints={"a3_j": target})
        world.step(60)
        worlds.append((world, robot))
    one, other = motions(worlds[0][0]), motions(worlds[1][0])
    for name in one:
        np.testing.assert_allclose(other[name], one[name], atol=1e-8)


def test_welding_and_unwelding(seed):
    world = weightless()
    robot = moving(world, floating("a", 5, seed), seed)
    before, work, were = momentum(world), energy(world), motions(world)
    q, bodies = robot.joint("a3_j").q, robot.model.n_bodies
    robot.weld("a3_j")
    assert robot.model.n_bodies == bodies - 1
    near(momentum(world), before, 100.0)
    assert energy(world) < work
    for name, motion in motions(world).items():
        near(motion[:16], were[name][:16], 10.0)
    world.step(10)
    held, work = motions(world), energy(world)
    robot.unweld("a3_j")
    np.testing.assert_allclose(robot.joint("a3_j").q, q, atol=1e-12)
    np.testing.assert_allclose(robot.joint("a3_j").v, 0.0, atol=1e-12)
    near(momentum(world), before, 100.0)
    assert energy(world) == pytest.approx(work, rel=1e-12)
    for name, motion in motions(world).items():
        near(motion, held[name], 100.0)
    with pytest.raises(MechanismError, match="not welded"):
        robot.unweld("a3_j")


def test_a_joint_of_more_freedom_changes_no_motion_and_one_of_less_ends_some(seed):
    world = weightless()
    robot = moving(world, floating("a", 4, seed, (Revolute((0, 0, 1)),)), seed)
    before, work, were = momentum(world), energy(world), motions(world)
    robot.replace_joint("a2_j", Joint("ball", Spherical()))
    for name, motion in motions(world).items():
        near(motion, were[name], 100.0)
    assert energy(world) == pytest.approx(work, rel=1e-12)
    robot.set_state(None, robot.v + np.random.default_rng(seed).normal(size=robot.nv))
    before, work = momentum(world), energy(world)
    robot.replace_joint("ball", Joint("a2_j", Revolute((0, 0, 1))))
    near(momentum(world), before, 100.0)
    assert energy(world) < work * (1.0 - 1e-6)


def test_what_is_attached_moves_with_what_it_is_on():
    world = weightless()
    robot = moving(world, floating("a", 3, 1), 1)
    were = motions(world)
    tool = floating("t", 3, 5, floats=False)
    maps = robot.attach(tool, "a2", Joint("grip", Fixed()), Transform(translation=(0, 0, 0.5)), prefix="left_")
    assert maps.bodies[tool.find_body("t2")] is robot.mechanism.find_body("left_t2")
    assert {"left_t0", "left_t1", "left_t2"} <= {body.name for body in robot.mechanism.bodies}
    now = motions(world)
    for name, motion in were.items():
        near(now[name], motion, 10.0)
    arm = robot.body("left_t1").position - robot.body("a2").position
    np.testing.assert_allclose(
        robot.body("left_t1").linear_velocity - robot.body("a2").linear_velocity,
        np.cross(robot.body("a2").angular_velocity, arm),
        atol=1e-12,
    )
    robot.attach(link("ball", np.random.default_rng(3)), "a1", Joint("wrist", Revolute((1, 0, 0))))
    assert robot.joint("wrist").q == robot.joint("wrist").v == 0.0
    robot.remove_subtree("grip")
    robot.remove_subtree("wrist")
    assert robot.mechanism.num_velocities == len(robot.v)
    for name, motion in motions(world).items():
        near(motion, were[name], 10.0)
    world.step()


# ---- what goes on --------------------------------------------------------------------------------


def test_control_limits_and_forces_go_on():
    world, a, b = two(3)
    for robot, p in ((a, 5.0), (b, 7.0)):
        robot.set_pd_gains(p, 0.5)
        robot.set_pd_target(robot.q)
        robot.set_joint_damping(0.25 * p)
        robot.set_effort_limits(-p, 2.0 * p)
        robot.set_generalized_force(np.full(robot.nv, 0.01 * p))
    names = {r: [j for j in r.joint_names if not j.endswith("base")] for r in (a, b)}
    said = {j: (r.joint(j).gains, r.joint(j).target, r.joint(j).damping, r.joint(j).effort_limits)
            for r in (a, b) for j in names[r]}  # fmt: skip
    handle = b.joint("b2_j")
    world.merge(a, "a1", b, "b0", Joint("dock", Revolute((0, 0, 1))))
    assert a.control_mode == "pd_plus_feedforward"
    for j, values in said.items():
        now = a.joint(j).gains, a.joint(j).target, a.joint(j).damping, a.joint(j).effort_limits
        for x, y in zip(now, values, strict=True):
            for one, other in zip(x, y, strict=True) if isinstance(x, tuple) else ((x, y),):
                np.testing.assert_array_equal(one, other)
    assert handle.robot is a
    part = a.remove_joint("dock", split=True, name="again")
    assert part.name == "again"
    assert handle.robot is part
    assert part.control_mode == "pd_plus_feedforward"
    np.testing.assert_array_equal(handle.gains[0], said["b2_j"][0][0])


def test_handles_follow_or_say_what_became_of_their_thing():
    world = weightless()
    robot = moving(world, floating("a", 5, 2, (Revolute((0, 1, 0)),)), 2)
    body, joint, frame, shape = robot.body("a4"), robot.joint("a4_j"), robot.frame("a4"), robot.geometry("a4/0")
    cut = robot.joint("a3_j")
    place = body.position
    part = robot.remove_joint("a3_j", split=True)
    for one in (body, joint, frame, shape):
        assert one.robot in (robot, part)
        assert one.robot.body("a4") is body
    np.testing.assert_allclose(body.position, place, atol=1e-14)
    with pytest.raises(RemovedError, match="a3_j.*surgery"):
        cut.q  # noqa: B018


def test_constraints_follow_their_bodies_or_are_lost_with_them():
    world = weightless()
    robot = moving(world, floating("a", 5, 2, (Revolute((0, 1, 0)),)), 2)
    wire = world.add_spring((robot, "a4"), None, 50.0, 1.0, point_a=(0.01, 0.02, 0.03))
    weld = world.add_weld((robot, "a0"), None)
    gear = world.add_coupling({(robot, "a1_j"): 1.0, (robot, "a4_j"): 2.0})
    lost = world.add_coupling({(robot, "a1_j"): 1.0, (robot, "a3_j"): 2.0})
    points, error, offset = wire.points, weld.error, gear.error
    world.step()
    points, error, offset = wire.points, weld.error, gear.error
    holder = next(k for k in (3, 4) if robot.mechanism.predecessor("a4_j").name == f"a{k - 1}" or k == 4)
    part = robot.remove_joint("a3_j", split=True)
    assert holder
    owner = part if "a4" in part.body_names else robot
    assert wire.ends[0] == (owner, "a4")
    np.testing.assert_allclose(wire.points, points, atol=1e-14)
    np.testing.assert_allclose(weld.error, error, atol=1e-14)
    assert gear.error == pytest.approx(offset, abs=1e-14)
    assert set(gear.ends) == {(robot, "a1_j"), (owner, "a4_j")}
    with pytest.raises(RemovedError):
        lost.error  # noqa: B018
    world.step(50)
    world.remove(part)
    assert weld in world.constraints


def test_contacts_go_on():
    """A robot at rest on the ground is cut and joined: what solvers know of contacts stays, and it stays at rest."""
    world = World(1e-3)
    world.add_ground()
    m = Mechanism(RigidBody("earth"))
    half = rbdyn.collision.Box((0.2, 0.2, 0.1))
    for k in range(2):
        body = RigidBody(f"c{k}", SpatialInertia(1.0, inertia=np.eye(3) * 0.01), [rbdyn.Geometry(half)])
        if k == 0:
            m.attach(m.root_body, body, Joint("base", rbdyn.Floating()))
        else:
            m.attach(
                "c0",
                body,
                Joint("hinge", Revolute((0, 1, 0))),
                Transform(translation=(0.2, 0, 0)),
                Transform(translation=(0.2, 0, 0)),
            )
    robot = world.add_articulated_system(m)
    robot.set_base_pose((0, 0, 0.05))
    world.step(200)
    were = [(c.position, c.impulse) for c in world.contacts]
    assert len(were) == 8
    part = robot.remove_joint("hinge", split=True)
    now = world.contacts
    np.testing.assert_array_equal([c.position for c in now], [c[0] for c in were])
    np.testing.assert_array_equal([c.impulse for c in now], [c[1] for c in were])
    assert {c.object_b for c in now} | {c.object_a for c in now} >= {robot, part}
    place = part.body("c1").position
    world.step(100)
    np.testing.assert_allclose(part.body("c1").position, place, atol=1e-6)
    world.merge(robot, "c0", part, "c1", Joint("hinge", Revolute((0, 1, 0))), Transform(translation=(0.2, 0, 0)))
    world.step(100)
    np.testing.assert_allclose(robot.body("c1").position, place, atol=1e-5)
    assert len(world.contacts) == 8


def test_self_collision_goes_with_the_bodies():
    world = World(1e-3)
    shy = world.add_articulated_system(floating("a", 4, 1), self_collision=False)
    open_ = world.add_articulated_system(floating("b", 4, 2))
    shy.set_state(shy.model.neutral())
    q = open_.model.neutral()
    q[0] = 20.0
    open_.set_state(q)
    count = lambda: len([c for c in world.contacts if c.object_a is c.object_b is shy])  # noqa: E731
    world.merge(shy, "a0", open_, "b0", Joint("dock", Fixed()))
    world.integrate1()
    assert not any({c.body_a[0], c.body_b[0]} == {"a"} for c in world.contacts)
    world.integrate2()
    assert count() >= 0


# ---- edits of the mechanism itself ----------------------------------------------------------------


def test_structural_edits_of_the_mechanism_are_taken_in_before_the_next_step():
    world = weightless()
    robot = moving(world, floating("a", 4, 3, (Revolute((0, 1, 0)),)), 3)
    were, work = motions(world), energy(world)
    robot.mechanism.attach("a3", link("b", np.random.default_rng(0)), Joint("b_j", Revolute((1, 0, 0))))
    robot.mechanism.remove_subtree(robot.mechanism.joint_to_parent("a2"))
    left = [body.name for body in robot.mechanism.bodies[1:]]
    world._edits.renew(robot)
    assert [*robot.body_names] == left
    now = motions(world)
    for name in set(left) & set(were):
        near(now[name], were[name], 10.0)
    assert energy(world) != work
    world.step(10)


# ---- bad input -----------------------------------------------------------------------------------


class Refuses(NativeBackend):
    """Refuses one call, after so many."""

    def __init__(self, name, after):
        super().__init__()
        self.name, self.left = name, after

    def count(self, name):
        if name == self.name:
            self.left -= 1
            if self.left == 0:
                raise rbdyn.errors.CollisionError("no more")

    def exclude(self, a, b):
        self.count("exclude")
        super().exclude(a, b)

    def move_shape(self, *args):
        self.count("move_shape")
        super().move_shape(*args)


def content(world):
    """What an error must leave alone."""
    robots = [one for one in world.objects if isinstance(one, rbdyn.ArticulatedSystem)]
    graphs = [(r.mechanism.revision, r.mechanism.bodies, r.mechanism.joints) for r in robots]
    edges = [[r.mechanism.edge(j) for j in r.mechanism.joints] for r in robots]
    ends = [one.ends for one in world.constraints]
    models, ids = [r.model for r in robots], sorted(world.collision.ids)
    return world.state_hash(), world.objects, graphs, edges, ends, models, ids, world.constraints


def wrong(world, a, b):
    """Calls that must raise, and what."""
    fixed = Joint("dock", Fixed())
    yield Error, "both", lambda: world.merge(a, "a0", a, "a1", fixed)
    yield KeyError, "nowhere", lambda: world.merge(a, "nowhere", b, "b0", fixed)
    yield Error, "robot", lambda: world.merge(a, "a0", "b", "b0", fixed)
    yield MechanismError, "Joint", lambda: world.merge(a, "a0", b, "b0", "dock")
    yield MechanismError, "a1_j", lambda: world.merge(a, "a0", b, "b0", Joint("a1_j", Fixed()))
    yield MechanismError, "root", lambda: world.merge(a, "a0", b, "b_world", fixed)
    yield MechanismError, "tolerance", lambda: world.merge(a, "a0", b, "b0", fixed, Transform(), Transform())
    yield Error, "tolerance", lambda: world.merge(a, "a0", b, "b0", fixed, tolerance=-1.0)
    yield MechanismError, "split=True", lambda: a.remove_joint("a1_j")
    yield Error, "split", lambda: a.remove_joint("a1_j", split=2)
    yield Error, "name", lambda: a.remove_joint("a1_j", name="x")
    yield Error, "already", lambda: a.remove_joint("a1_j", split=True, name=b.name)
    yield KeyError, "none", lambda: a.remove_joint("none", split=True)
    yield MechanismError, "a_base", lambda: a.attach(floating("c", 3, 0), "a0", Joint("a_base", Fixed()))
    yield MechanismError, "a1", lambda: a.attach(floating("a", 3, 0), "a0", fixed)
    yield Error, "Mechanism", lambda: a.attach("arm", "a0", fixed)
    a.replace_joint("a3_j", Joint("a3_j", Fixed()), 100.0)
    yield MechanismError, "fixed already", lambda: a.weld("a3_j")


def test_bad_surgery_changes_nothing():
    world, a, b = two(5)
    world.add_spring((a, "a1"), (b, "b2"), 10.0)
    world.step(5)
    for kind, match, call in wrong(world, a, b):
        before = content(world)
        with pytest.raises(kind, match=match):
            call()
        assert content(world) == before
    world.step()


@pytest.mark.parametrize("name, after", [("move_shape", 1), ("move_shape", 3), ("exclude", 12), ("exclude", 15)])
def test_a_backend_that_refuses_leaves_all_as_it_was(name, after):
    twins = []
    for refuse in (False, True):
        world = World(1e-3, gravity=(0, 0, 0), collision=Refuses(name, 10**9))
        a = moving(world, floating("a", 4, 1), 1)
        b = moving(world, floating("b", 4, 2), 2, (2, 0, 0))
        world.add_spring((a, "a1"), (b, "b2"), 10.0)
        world.step(5)
        if refuse:
            before = content(world)
            world.collision.left = after if name == "move_shape" else after - 9
            with pytest.raises(rbdyn.errors.CollisionError, match="no more"):
                world.merge(a, "a0", b, "b0", Joint("dock", Fixed()))
            assert content(world) == before
        world.step(20)
        twins.append((a.q, b.q, a.v, b.v))
    for x, y in zip(*twins, strict=True):
        np.testing.assert_array_equal(x, y)


def test_surgery_only_between_steps():
    world, a, b = two(1)
    world.integrate1()
    before = a.mechanism.revision
    for call in (lambda: world.merge(a, "a0", b, "b0", Joint("dock", Fixed())), lambda: a.weld("a1_j"),
                 lambda: a.remove_joint("a1_j", split=True)):  # fmt: skip
        with pytest.raises(BusyError, match="integrate2"):
            call()
    assert a.mechanism.revision == before
    world.integrate2()
    caught = []
    world.add_observer(lambda world: caught.append(pytest.raises(BusyError, a.weld, "a1_j")))
    world.step()
    assert len(caught) == 1


def test_what_is_fixed_to_the_world_can_take_in_what_floats_only():
    world = weightless()
    arm = world.add_articulated_system(floating("a", 3, 1, floats=False))
    ball = moving(world, floating("b", 2, 2), 2, (1, 0, 0))
    with pytest.raises(MechanismError, match="float"):
        world.merge(ball, "b0", arm, "a2", Joint("grip", Fixed()))
    world.merge(arm, "a2", ball, "b1", Joint("grip", Fixed()))
    assert not arm.model.floating_base
    world.step(10)


def test_cycles_take_no_more_memory():
    world, a, b = two(4)
    part, shapes = b, sorted(world.collision.ids)
    for _ in range(40):
        world.merge(a, "a3", part, "b2", Joint("dock", Revolute((0, 0, 1))))
        part = a.remove_joint("dock", split=True, name="part")
        world.step()
    assert sorted(world.collision.ids) == shapes
    assert len(world.objects) == 2
    count = len(a.mechanism.joints) + len(part.mechanism.joints)
    assert count == 8
