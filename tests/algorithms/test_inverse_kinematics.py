"""Inverse kinematics: reachable targets are reached, the others are owned up to.

Where bodies end up is asked of the oracle, which shares no code with what looked for the configuration.
"""

import numpy as np
import pytest
from algorithms.systems import layout
from reference import oracle
from reference.compare import close, nontrivial
from scipy.optimize import lsq_linear
from scipy.spatial.transform import Rotation

import rbdyn
from rbdyn import models
from rbdyn.mechanism import Floating, Helical, Planar, Prismatic, Revolute, Spherical, SPQuatFloating
from rbdyn.testing.random_mechanisms import ALL_TYPES, random_tree

SEEDS = range(100)
FEET = ["LF_FOOT", "RF_FOOT", "LH_FOOT", "RH_FOOT"]
WITHOUT_SCREWS = [kind for kind in ALL_TYPES if kind is not Helical]  # which have a minimum on every turn
ARM_BENT = [0.1, 0.5, 0.8, 0.1, 0.6, 0.1]


def poses(model, q):
    return oracle.forward_kinematics(model.mechanism, q[layout(model, model.mechanism)[0]])


def random_case(seed, pose, types=WITHOUT_SCREWS, spread=None):
    """A random tree, one or two of its bodies with points, and where those are at a random configuration.

    With a `spread` it is the neutral configuration, moved by so much.
    """
    rng = np.random.default_rng([seed, 5])
    while True:
        mechanism = random_tree(rng, int(rng.integers(3, 10)), types, floating_base=bool(seed % 2))
        if mechanism.num_velocities:
            break
    model = rbdyn.Model(mechanism)
    step = None if spread is None else spread * rng.normal(size=model.nv)
    H = poses(model, model.random(rng) if step is None else rbdyn.integrate(model, model.neutral(), step))
    names = [b.name for b in mechanism.bodies[1:]]
    bodies = [str(b) for b in rng.choice(names, 2, replace=False)]
    points = 0.3 * rng.normal(size=(2, 3))
    aims = [H[b] @ rbdyn.Transform(translation=p).matrix for b, p in zip(bodies, points, strict=True)]
    return model, bodies, points, aims if pose else [aim[:3, 3] for aim in aims]


def planar_arm(n=2, **joint):
    """n links of 1 m in the plane z = 0; the tip is at (1, 0, 0) of the last, "link{n - 1}"."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for k in range(n):
        place = rbdyn.Transform(translation=(1.0 if k else 0.0, 0, 0))
        m.attach(m.bodies[-1], rbdyn.RigidBody(f"link{k}"), rbdyn.Joint(f"joint{k}", Revolute(), **joint), place)
    return rbdyn.Model(m)


def tip(q):
    """Of a planar arm of 1 m links."""
    return np.array([np.cos(np.cumsum(q)).sum(), np.sin(np.cumsum(q)).sum(), 0.0])


@pytest.mark.parametrize("pose", [False, True], ids=["positions", "poses"])
def test_reachable_targets_on_random_trees(pose):
    """From the neutral configuration, all types but screws: 97 of 100 reach positions, and all of 100 poses."""
    reached, moved = 0, []
    for seed in SEEDS:
        model, bodies, points, aims = random_case(seed, pose)
        result = rbdyn.inverse_kinematics(model, model.neutral(), bodies, points, aims)
        H = poses(model, result.q)
        errors = []
        for body, point, aim in zip(bodies, points, aims, strict=True):
            found = H[body] @ rbdyn.Transform(translation=point).matrix
            errors.append(np.abs(found - aim if pose else found[:3, 3] - aim).max())
        assert result.success == (result.residual <= 1e-9)
        assert result.success == (max(errors) < 1e-9)
        if result.success:
            assert max(errors) < 1e-10
        reached += result.success
        moved.append(np.abs(rbdyn.difference(model, model.neutral(), result.q)).max())
    assert reached >= (99 if pose else 96)
    nontrivial(np.median(moved), 0.5)


def test_reachable_targets_of_screws(seed):
    """Those that are less than half a turn away."""
    model, bodies, points, aims = random_case(seed, True, [*ALL_TYPES, Helical, Helical], spread=0.3)
    result = rbdyn.inverse_kinematics(model, model.neutral(), bodies, points, aims)
    assert result.success
    H = poses(model, result.q)
    for body, point, aim in zip(bodies, points, aims, strict=True):
        close(H[body] @ rbdyn.Transform(translation=point).matrix, aim, 1e-10)


def test_quaternions_stay_of_unit_length():
    m = random_tree(np.random.default_rng(8), 6, [Spherical, Floating, Planar, Prismatic], floating_base=True)
    model = rbdyn.Model(m)
    assert model.nq > model.nv + 2
    for seed in range(10):
        H = poses(model, model.random(seed))
        result = rbdyn.inverse_kinematics(model, model.neutral(), "body5", None, H["body5"])
        assert result.success
        again = rbdyn.State(model)
        again.set(result.q)
        np.testing.assert_array_equal(again.q, result.q)  # nothing was left to normalise


def test_a_six_axis_arm_reaches_full_poses(seed):
    model = rbdyn.Model(models.six_axis_arm())
    target = poses(model, model.random(seed))["tool"]
    for given in (target, rbdyn.Transform(target[:3, :3], translation=target[:3, 3])):
        result = rbdyn.inverse_kinematics(model, ARM_BENT, "tool", None, given, max_iter=100, attempts=3)
        assert result.success
        assert np.abs(poses(model, result.q)["tool"] - target).max() < 1e-10


def test_one_pose_twice_is_one_answer():
    """No chance, no memory: the same bits, also where other starts were tried."""
    model = rbdyn.Model(models.six_axis_arm())
    for seed in range(10):
        target = poses(model, model.random(seed))["tool"]
        first = rbdyn.inverse_kinematics(model, ARM_BENT, "tool", None, target, limits=True, attempts=1)
        one, two = (
            rbdyn.inverse_kinematics(model, ARM_BENT, "tool", None, target, limits=True, attempts=20) for _ in range(2)
        )
        if not first.success:
            break
    assert one.iterations == two.iterations > first.iterations
    np.testing.assert_array_equal(one.q, two.q)


def test_the_result_depends_on_the_start_and_leaves_it_alone():
    """Elbow up from above, elbow down from below."""
    model = planar_arm()
    for elbow in (0.5, -0.5):
        start = np.array([0.1, elbow])
        result = rbdyn.inverse_kinematics(model, start, "link1", (1, 0, 0), (1.0, 0.5, 0))
        np.testing.assert_array_equal(start, [0.1, elbow])
        r = np.hypot(1.0, 0.5)
        np.testing.assert_allclose(result.q[1], np.sign(elbow) * 2 * np.arccos(r / 2), atol=1e-12)
        np.testing.assert_allclose(tip(result.q), (1.0, 0.5, 0), atol=1e-12)


@pytest.mark.parametrize("start", [(0.3, 0.5), (2.0, -1.0), (-0.4, 0.1)])
@pytest.mark.parametrize("target", [(3.0, 0.0, 0.0), (2.5, 1.0, 0.0), (0.0, 5.0, 0.3), (1.0, 1.0, 0.5)])
def test_out_of_reach(start, target):
    """The nearest point is on the circle of radius 2 in the arm's plane, or straight below the target."""
    x, y, z = target
    far = max(1.0, np.hypot(x, y) / 2.0)
    nearest = np.array([x / far, y / far, 0.0])
    distance = np.linalg.norm(nearest - target)
    assert distance > 0.3
    result = rbdyn.inverse_kinematics(planar_arm(), start, "link1", (1, 0, 0), target)
    assert result.success is False
    assert result.residual == pytest.approx(distance, abs=1e-12)
    np.testing.assert_allclose(tip(result.q), nearest, atol=1e-6)


def test_at_the_edge_of_the_reach():
    """The stretched arm, where J J^T is singular: reached all the same."""
    result = rbdyn.inverse_kinematics(planar_arm(), (0.3, 0.5), "link1", (1, 0, 0), (0, 2, 0))
    assert result.success
    np.testing.assert_allclose(result.q, [np.pi / 2, 0], atol=2e-6)
    just_out = rbdyn.inverse_kinematics(planar_arm(), (0.3, 0.5), "link1", (1, 0, 0), (0, 2 + 1e-7, 0))
    assert not just_out.success
    assert just_out.residual == pytest.approx(1e-7, rel=1e-6)
    assert rbdyn.inverse_kinematics(
        planar_arm(), (0.3, 0.5), "link1", (1, 0, 0), (0, 2 + 1e-7, 0), tolerance=1e-6
    ).success


def test_a_step_that_vanishes_is_no_success():
    """At the nearest point of the reach no step leads nearer: RDL's own rule would call that a success."""
    stretched = rbdyn.inverse_kinematics(planar_arm(), (0, 0), "link1", (1, 0, 0), (3, 0, 0))
    assert (stretched.success, stretched.residual) == (False, 1.0)
    np.testing.assert_array_equal(stretched.q, (0, 0))


def test_no_iterations_only_measure():
    result = rbdyn.inverse_kinematics(planar_arm(), (0, 0), "link1", (1, 0, 0), (2, 0.5, 0), max_iter=0)
    assert (result.success, result.iterations) == (False, 0)
    assert result.residual == pytest.approx(0.5)
    np.testing.assert_array_equal(result.q, [0, 0])
    there = rbdyn.inverse_kinematics(planar_arm(), (0, 0), "link1", (1, 0, 0), (2, 0, 0))
    assert (there.success, there.iterations, there.residual) == (True, 0, 0.0)


def test_four_feet_at_once():
    model = rbdyn.Model(models.quadruped())
    start = models.QUADRUPED_STANCE.q
    rng = np.random.default_rng(3)
    before = poses(model, start)
    aims = [before[foot][:3, 3] + rng.uniform(-0.05, 0.05, 3) for foot in FEET]
    base = rbdyn.Transform(rpy=(0.1, -0.1, 0.2), translation=before["base"][:3, 3] + (0.03, 0.02, -0.05))
    result = rbdyn.inverse_kinematics(model, start, ["base", *FEET], None, [base, *aims], limits=True)
    assert result.success
    H = poses(model, result.q)
    np.testing.assert_allclose(H["base"], base.matrix, atol=1e-11)
    for foot, aim in zip(FEET, aims, strict=True):
        np.testing.assert_allclose(H[foot][:3, 3], aim, atol=1e-11)


@pytest.mark.parametrize("limits", [(-0.3, 0.4), (0.1, 0.9)])
def test_limits_are_never_left(limits):
    """With a target that the arm could reach only beyond them; nothing around the answer and within them is better."""
    model = planar_arm(3, position_limits=limits)
    target = np.array([0.5, -1.0, 0.0])
    free = rbdyn.inverse_kinematics(model, np.full(3, 0.3), "link2", (1, 0, 0), target)
    assert free.success
    assert (free.q < limits[0]).any()
    for steps in (0, 1, 2, 3, 5, 10, 50):
        result = rbdyn.inverse_kinematics(
            model, np.full(3, 0.3), "link2", (1, 0, 0), target, limits=True, max_iter=steps
        )
        assert not result.success
        assert ((result.q >= limits[0]) & (result.q <= limits[1])).all()
    grid = np.clip(result.q + np.stack(np.meshgrid(*[np.linspace(-0.3, 0.3, 41)] * 3), -1).reshape(-1, 3), *limits)
    angles = np.cumsum(grid, axis=1)
    around = np.hypot(np.cos(angles).sum(1) - target[0], np.sin(angles).sum(1) - target[1])
    assert around.max() > result.residual + 0.1
    assert around.min() >= result.residual - 1e-12


@pytest.mark.parametrize("part", range(60))
def test_a_step_within_limits_is_the_best_one(seed, part):
    """SciPy's bounded least squares on the same problem: slides on slides, whose positions are linear in q."""
    rng = np.random.default_rng([seed, part, 12])
    n, count = int(rng.integers(2, 9)), int(rng.integers(1, 4))
    high = rng.uniform(0.01, 0.5, n)
    low = -rng.uniform(0.01, 0.5, n) * rng.integers(0, 2, n)
    low[rng.random(n) < 0.2] = -np.inf
    axes, m = rng.normal(size=(n, 3)), rbdyn.Mechanism(rbdyn.RigidBody("world"))
    axes /= np.linalg.norm(axes, axis=1)[:, None]
    for k in range(n):
        slide = rbdyn.Joint(f"slide{k}", Prismatic(axes[k]), position_limits=(low[k], high[k]))
        m.attach(m.bodies[-1], rbdyn.RigidBody(f"carriage{k}"), slide)
    carriages = sorted(rng.choice(n, min(n, count), replace=False).tolist())
    weights, targets = rng.uniform(0.5, 2.0, len(carriages)), rng.normal(size=(len(carriages), 3))
    damping = 10 ** rng.uniform(-2, 0.5)
    J = np.vstack([w * np.where(np.arange(n) <= c, axes.T, 0.0) for c, w in zip(carriages, weights, strict=True)])
    e = np.concatenate([w * x for x, w in zip(targets, weights, strict=True)])
    rows = np.vstack([J, damping * np.eye(n)])
    best = lsq_linear(rows, np.append(e, np.zeros(n)), (low, high), "bvls", tol=1e-14).x
    bodies = [f"carriage{c}" for c in carriages]
    result = rbdyn.inverse_kinematics(
        rbdyn.Model(m), np.zeros(n), bodies, None, targets, 0.0, damping, 1, weights=weights, limits=True, attempts=1
    )
    np.testing.assert_allclose(result.q, best, atol=1e-9)
    nontrivial(J.T @ e, 0.01)


def test_joints_at_their_limits_leave_the_rest_to_the_others(seed):
    """A redundant arm, started near where it will be: reached within limits of which the solution touches some."""
    model = planar_arm(6, position_limits=(-0.5, 0.5))
    rng = np.random.default_rng(seed)
    q = np.where(rng.random(6) < 0.5, 0.5, rng.uniform(-0.5, 0.5, 6))
    result = rbdyn.inverse_kinematics(model, 0.2 * rng.normal(size=6), "link5", (1, 0, 0), 0.999 * tip(q), limits=True)
    assert (np.abs(result.q) <= 0.5).all()
    if result.success:
        np.testing.assert_allclose(tip(result.q), 0.999 * tip(q), atol=1e-10)
    else:
        assert (np.abs(result.q) == 0.5).any()


def test_limits_of_the_arm_and_scattered_starts():
    """Full poses within the limits, from the neutral configuration: one start is not always enough."""
    model = rbdyn.Model(models.six_axis_arm())
    assert np.isfinite(model.array("lower")).all()
    one = many = 0
    for seed in range(30):
        target = poses(model, model.random(seed))["tool"]
        for attempts in (1, 20):
            result = rbdyn.inverse_kinematics(
                model, model.neutral(), "tool", None, target, limits=True, attempts=attempts
            )
            assert (result.q >= model.array("lower")).all()
            assert (result.q <= model.array("upper")).all()
            one += result.success if attempts == 1 else 0
            many += result.success if attempts == 20 else 0
    assert one >= 18
    assert many >= 29


def test_a_start_beyond_the_limits_is_moved_in():
    model = planar_arm(2, position_limits=(-0.5, 0.5))
    result = rbdyn.inverse_kinematics(model, (2.0, -9.0), "link1", (1, 0, 0), (0, 0, 0), limits=True, max_iter=0)
    np.testing.assert_array_equal(result.q, [0.5, -0.5])


def test_rotations_alone():
    model = rbdyn.Model(models.six_axis_arm())
    for seed in range(10):
        target = poses(model, model.random(seed))["tool"][:3, :3]
        result = rbdyn.inverse_kinematics(model, ARM_BENT, "tool", None, target)
        assert result.success
        np.testing.assert_allclose(poses(model, result.q)["tool"][:3, :3], target, atol=1e-10)


def test_half_a_turn():
    """Where the logarithm of a rotation is least well-behaved."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("ball"), rbdyn.Joint("joint", Spherical()))
    model = rbdyn.Model(m)
    for axis in np.vstack([np.eye(3), np.random.default_rng(0).normal(size=(5, 3))]):
        target = rbdyn.Transform(quat=[0.0, *(axis / np.linalg.norm(axis))]).rotation
        for near in (1.0, 1 - 1e-9, 1 - 1e-4):
            start = [np.cos(near * np.pi), 0, 0, np.sin(near * np.pi)]
            result = rbdyn.inverse_kinematics(model, start, "ball", None, target)
            assert result.success
            np.testing.assert_allclose(poses(model, result.q)["ball"][:3, :3], target, atol=1e-12)


def test_weights_settle_a_conflict():
    """One slider, wanted at 0 and at 1: the answer is the weighted mean, with squared weights."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("slider"), rbdyn.Joint("joint", Prismatic((1, 0, 0))))
    model = rbdyn.Model(m)
    for a, b in ((1, 1), (1, 3), (10, 1)):
        result = rbdyn.inverse_kinematics(
            model, [5.0], ["slider"] * 2, None, [(0, 0, 0), (1, 0, 0)], weights=[a, (b, 77)]
        )
        x = b**2 / (a**2 + b**2)
        assert not result.success
        np.testing.assert_allclose(result.q, [x], atol=1e-9)
        assert result.residual == pytest.approx(np.hypot(x, 1 - x))


def test_the_weight_of_a_rotation():
    """A hinge that may look or reach: the heavier wish is granted."""
    model = planar_arm(1)
    target = rbdyn.Transform(rpy=(0, 0, 1.0), translation=(np.cos(0.4), np.sin(0.4), 0))
    for weights, angle in (((1e4, 1.0), 0.4), ((1.0, 1e4), 1.0)):
        result = rbdyn.inverse_kinematics(model, [0.0], "link0", (1, 0, 0), target, weights=weights)
        np.testing.assert_allclose(result.q, [angle], atol=1e-6)


def test_one_step_is_damped_least_squares():
    """From where no step is refused or shortened: J^T (J J^T + lambda^2 1)^-1 e."""
    model = planar_arm(3)
    q, target = np.array([0.2, 0.5, -0.3]), tip([0.25, 0.45, -0.2])
    h = 1e-6 * np.eye(3)
    J = np.array([(tip(q + d) - tip(q - d)) / 2e-6 for d in h]).T
    for damping in (1.0, 0.1):
        expected = q + J.T @ np.linalg.solve(J @ J.T + damping**2 * np.eye(3), target - tip(q))
        result = rbdyn.inverse_kinematics(model, q, "link2", (1, 0, 0), target, 0.0, damping, 1, attempts=1)
        assert result.iterations == 1
        np.testing.assert_allclose(result.q, expected, atol=1e-8)
        nontrivial(result.q - q, 0.01)


def test_no_step_leads_further_away():
    """With next to no damping and a start from which plain least squares overshoots."""
    model = rbdyn.Model(models.six_axis_arm())
    overshot = 0
    for seed in range(5):
        target = poses(model, model.random(seed))["tool"]
        residuals = [
            rbdyn.inverse_kinematics(model, ARM_BENT, "tool", None, target, 0.0, 1e-4, n, attempts=1).residual
            for n in range(30)
        ]
        assert (np.diff(residuals) <= 0).all()
        overshot += (np.diff(residuals[:20]) == 0).any()
    assert overshot  # some steps were refused


@pytest.mark.parametrize("free", [Floating, SPQuatFloating])
def test_joints_turn_by_a_radian_a_step_and_slide_as_far_as_they_like(free):
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("drone"), rbdyn.Joint("free", free()))
    drone = rbdyn.Model(m)
    target = rbdyn.Transform(rpy=(0, 0, 3.0), translation=(100.0, 0, 0))
    one = rbdyn.inverse_kinematics(drone, drone.neutral(), "drone", None, target, max_iter=1)
    step = rbdyn.difference(drone, drone.neutral(), one.q)
    assert np.abs(step[3:]).max() == pytest.approx(1.0)
    assert step[0] > 30
    result = rbdyn.inverse_kinematics(drone, drone.neutral(), "drone", None, target)
    assert result.success
    assert result.iterations < 10
    nearly_stretched = rbdyn.inverse_kinematics(
        planar_arm(), (0.0, 1e-3), "link1", (1, 0, 0), (1.0, 0, 0), damping=1e-6, max_iter=1, attempts=1
    )
    assert np.abs(nearly_stretched.q - (0.0, 1e-3)).max() <= 1.0 + 1e-12


def test_attempts_end_with_success_and_keep_the_best():
    model = planar_arm(3, position_limits=(0.1, 0.9))

    def solve(target, attempts, max_iter=50):
        return rbdyn.inverse_kinematics(
            model, np.full(3, 0.3), "link2", (1, 0, 0), target, 1e-12, 0.01, max_iter, limits=True, attempts=attempts
        )

    unreachable = [solve((0.5, -1.0, 0), n) for n in range(1, 8)]
    assert not any(r.success for r in unreachable)
    assert (np.diff([r.iterations for r in unreachable]) > 0).all()
    measured = [solve((0.0, 3.0, 0), n, 0).residual for n in range(1, 12)]
    assert (np.diff(measured) <= 0).all()
    assert (np.diff(measured) == 0).any()
    assert measured[-1] < measured[0]
    reachable = tip([0.2, 0.5, 0.6])
    assert solve(reachable, 5).success
    assert solve(reachable, 5).iterations == solve(reachable, 1).iterations


def test_scattered_starts_keep_one_sided_limits():
    model = planar_arm(3, position_limits=(0.5, np.inf))
    result = rbdyn.inverse_kinematics(
        model, np.full(3, 0.6), "link2", (1, 0, 0), (9, 0, 0), limits=True, attempts=4, max_iter=0
    )
    assert (result.q >= 0.5).all()


def test_equations_that_say_a_thing_twice():
    """An arm in an oblique plane, with hardly any damping: J J^T is singular everywhere."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    for k in range(3):
        place = rbdyn.Transform(translation=(1.0, 0, 0)) if k else rbdyn.Transform(rpy=(0.5, 0.7, -0.3))
        m.attach(m.bodies[-1], rbdyn.RigidBody(f"link{k}"), rbdyn.Joint(f"joint{k}", Revolute()), place)
    model = rbdyn.Model(m)
    for seed in range(5):
        aim = poses(model, model.random(seed))["link2"][:3, 3]
        for damping in (1e-2, 1e-8, 1e-12):
            bodies, aims = ["link2"] * 2, [aim] * 2
            result = rbdyn.inverse_kinematics(model, [0.3, 0.4, 0.5], bodies, None, aims, damping=damping)
            assert result.success
            np.testing.assert_allclose(poses(model, result.q)["link2"][:3, 3], aim, atol=1e-10)


def test_rotation_vectors():
    """The error of a rotation is SciPy's rotation vector, from no turn at all to half a turn."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, rbdyn.RigidBody("ball"), rbdyn.Joint("joint", Spherical()))
    model, rng = rbdyn.Model(m), np.random.default_rng(4)
    for angle in (0.0, 1e-160, 1e-12, 1e-6, 0.1, 2.0, 3.0, np.pi - 1e-6, np.pi - 1e-12):
        axis = rng.normal(size=3)
        v = angle * axis / np.linalg.norm(axis)
        aim = rbdyn.inverse_kinematics(
            model, model.neutral(), "ball", None, Rotation.from_rotvec(v).as_matrix(), 0.0, 1.0, 1, attempts=1
        )
        step = Rotation.from_quat(np.roll(aim.q, -1)).as_rotvec()
        np.testing.assert_allclose(step, v / 2 * min(1.0, 2.0 / max(np.abs(v).max(), 1e-300)), rtol=1e-9, atol=1e-15)


def test_bodies_are_named_in_all_ways():
    m = models.six_axis_arm()
    tool = m.find_body("tool")
    frame = tool.add_frame("pen", rbdyn.Transform(translation=(0, 0, 0.1)))
    model = rbdyn.Model(m)
    names = [tool.name, tool, tool.frame]
    results = [rbdyn.inverse_kinematics(model, ARM_BENT, b, (0, 0, 0.1), (0.3, 0.2, 0.7)).q for b in names]
    results += [rbdyn.inverse_kinematics(model, ARM_BENT, "pen", None, (0.3, 0.2, 0.7)).q]
    results += [rbdyn.inverse_kinematics(model, ARM_BENT, frame, None, (0.3, 0.2, 0.7)).q]
    for q in results:
        np.testing.assert_allclose(q, results[0], atol=1e-9)


BAD = {
    "model": [None, "arm", 3],
    "q_init": [None, [0.0], [0.0] * 7, [np.nan] * 6, "123456", [[0.0] * 6], [True] * 6],
    "bodies": [None, [], 3, {"tool"}, {"tool": 1}],
    "points": [[], [None, None], 3, "abc", [(0, 0)], [(np.nan, 0, 0)]],
    "targets": [
        [],
        [None],
        None,
        3,
        [(0, 0)],
        [np.zeros((3, 3))],
        [np.zeros((4, 4))],
        [np.ones((4, 4))],
        [(0, np.inf, 0)],
        ["abc"],
        [[[1.0], [1.0, 2.0]]],
        [np.eye(3) + 0j],
    ],
    "step_tol": [-1.0, np.nan, np.inf, None, "1", True],
    "damping": [0.0, -1.0, np.nan, None, "1", 1j],
    "max_iter": [-1, 1.5, None, True, "3"],
    "tolerance": [0.0, -1.0, np.nan, None],
    "weights": [[0.0], [-1.0], [np.nan], [(1, 2, 3)], [1.0, 1.0], 1.0, [None], ["a"]],
    "limits": [None, 1, "yes"],
    "attempts": [0, -1, 1.0, None, True],
}


@pytest.mark.parametrize("name, bad", [(name, bad) for name, values in BAD.items() for bad in values])
def test_bad_arguments_are_refused_by_name(name, bad):
    good = {
        "model": rbdyn.Model(models.six_axis_arm()),
        "q_init": ARM_BENT,
        "bodies": ["tool"],
        "points": None,
        "targets": [(0.4, 0.1, 0.5)],
    }
    assert rbdyn.inverse_kinematics(**good).success
    with pytest.raises(rbdyn.Error, match=name):
        rbdyn.inverse_kinematics(**{**good, name: bad})


def test_one_body_wants_one_target():
    model = rbdyn.Model(models.six_axis_arm())
    with pytest.raises(rbdyn.Error, match="targets"):
        rbdyn.inverse_kinematics(model, ARM_BENT, "tool", None, [(0.4, 0.1, 0.5)])
    with pytest.raises(rbdyn.UnknownNameError, match="tool"):
        rbdyn.inverse_kinematics(model, ARM_BENT, "toool", None, (0.4, 0.1, 0.5))


def test_what_cannot_move_says_so():
    """No degree of freedom at all, or none that moves the body."""
    still = rbdyn.Model(rbdyn.Mechanism(rbdyn.RigidBody("world")))
    result = rbdyn.inverse_kinematics(still, [], "world", None, (1, 0, 0))
    assert (result.success, result.residual) == (False, 1.0)
    assert rbdyn.inverse_kinematics(planar_arm(), (0, 0), "world", None, (0, 0, 0)).success
    stuck = rbdyn.inverse_kinematics(planar_arm(), (0.1, 0.2), "world", (0, 0, 0), (0, 2, 0))
    assert (stuck.success, stuck.residual) == (False, 2.0)
    np.testing.assert_array_equal(stuck.q, (0.1, 0.2))


def test_stale_and_empty_models_are_refused():
    m = models.double_pendulum()
    model = rbdyn.Model(m)
    m.attach(m.bodies[-1], m.root_body, rbdyn.Joint("loop", Revolute()))
    with pytest.raises(rbdyn.StaleModelError):
        rbdyn.inverse_kinematics(model, [0, 0], m.bodies[-1], None, (0, 0, 0))
    with pytest.raises(rbdyn.Error):
        rbdyn.inverse_kinematics(rbdyn.Model.__new__(rbdyn.Model), [], "world", None, (0, 0, 0))


@pytest.mark.parametrize("where", ["bodies", "points", "targets", "weights"])
def test_a_number_in_an_array_is_no_sequence(where):
    model = rbdyn.Model(rbdyn.rand_chain_mechanism([Revolute], seed=1))
    good = {"bodies": ["body1"], "points": [np.zeros(3)], "targets": [np.ones(3)], "weights": [1.0]}
    with pytest.raises(rbdyn.Error, match=f"{where} must be a sequence"):
        rbdyn.inverse_kinematics(model, model.neutral(), **(good | {where: np.array(3.0)}))
