"""Joints that follow others, and couplings, on robots whose loops are eliminated: as in trees, of second order.

A five-bar linkage whose two cranks are geared to one another has one degree of freedom.  Its motion is integrated here
from its mass matrix and potential along the one way that it can go: g' = -dE/dq by the Lagrangian of a curve.
"""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import rbdyn
from rbdyn import Joint, Mechanism, Mimic, Revolute, RigidBody, SpatialInertia, Transform
from rbdyn.world import World

pytestmark = pytest.mark.filterwarnings("ignore:joints of .* that follow others start:rbdyn.MimicWarning")

L1, L2, BASE = 0.3, 0.5, 0.2
TURN = Revolute((0, 1, 0))


def rod(name, mass, length):
    J = mass * length**2 / 12
    return RigidBody(name, SpatialInertia(mass, (length / 2, 0, 0), np.diag([1e-4, J, J])))


def five_bar(mimic=None):
    m = Mechanism(RigidBody("world"))
    tips = []
    for side, x in (("left", 0.0), ("right", BASE)):
        crank, arm = rod(f"{side}_crank", 1.0, L1), rod(f"{side}_arm", 0.8, L2)
        follows = mimic if side == "right" else None
        m.attach(m.root_body, crank, Joint(side, TURN, mimic=follows), Transform(translation=(x, 0, 0)))
        m.attach(crank, arm, Joint(f"{side}_elbow", TURN), Transform(translation=(L1, 0, 0)))
        tips.append(arm)
    m.attach(*tips, Joint("tip", TURN), Transform(translation=(L2, 0, 0)), Transform(translation=(-L2, 0, 0)))
    return m


def closed(angles):
    """q of the five-bar for the angles of its cranks; +y turns x towards -z, the tip hangs below."""
    knees = np.array([[0.0, 0.0], [BASE, 0.0]]) + L1 * np.column_stack([np.cos(angles), -np.sin(angles)])
    way = knees[1] - knees[0]
    across = np.array([way[1], -way[0]]) / np.linalg.norm(way)
    across *= np.sign(-across[1])
    tip = knees.mean(axis=0) + across * np.sqrt(L2**2 - way @ way / 4)
    arms = [np.arctan2(-(tip - knee)[1], (tip - knee)[0]) for knee in knees]
    return np.array([angles[0], arms[0] - angles[0], angles[1], arms[1] - angles[1]])


def places(robot):
    return [robot.model.joint_q_index(name) for name in ("left", "left_elbow", "right", "right_elbow")]


def tied(dt, ratio, start, coupled=False, how="eliminate"):
    offset = start[1] - ratio * start[0]
    world = World(dt)
    robot = world.add_articulated_system(
        five_bar(None if coupled else Mimic("left", ratio, offset)), loop_constraints=how, self_collision=False)
    tie = world.add_coupling({(robot, "left"): -ratio, (robot, "right"): 1.0}, offset) if coupled else None
    q = np.zeros(4)
    q[places(robot)] = closed(start)
    robot.set_state(q)
    return world, robot, tie


def energy(robot):
    return rbdyn.kinetic_energy(robot.state) + rbdyn.potential_energy(robot.state)


def reference(ratio, start, seconds):
    """The left crank's angle after so long, from rest."""
    offset, h = start[1] - ratio * start[0], 1e-5
    state = rbdyn.State(rbdyn.Model(five_bar()))
    at = [state.model.joint_q_index(name) for name in ("left", "left_elbow", "right", "right_elbow")]

    def q_of(x):
        q = np.zeros(4)
        q[at] = closed(np.array([x, ratio * x + offset]))
        return q

    def both(x):
        """Inertia along the way, and potential energy."""
        way = (q_of(x + h) - q_of(x - h)) / (2 * h)
        state.set(q_of(x))
        return way @ rbdyn.mass_matrix(state) @ way, rbdyn.potential_energy(state)

    def change(_, y):
        x, v = y
        (up, high), (down, low) = both(x + 1e-4), both(x - 1e-4)
        return v, (-(high - low) - 0.5 * (up - down) * v * v) / 2e-4 / both(x)[0]

    return solve_ivp(change, (0.0, seconds), (start[0], 0.0), rtol=1e-9, atol=1e-10).y[0, -1]


CASES = [(-1.0, (2.2, 0.9)), (-0.6, (2.0, 0.7)), (0.5, (2.4, 0.5))]


@pytest.mark.parametrize("coupled", [False, True])
@pytest.mark.parametrize("ratio, start", CASES)
def test_free_motion_is_of_second_order(ratio, start, coupled):
    start = np.array(start)
    expected, errors = reference(ratio, start, 0.5), []
    for dt in (5e-3, 2.5e-3, 1.25e-3):
        world, robot, _ = tied(dt, ratio, start, coupled)
        world.step(round(0.5 / dt))
        q = robot.q[places(robot)]
        assert q[2] - ratio * q[0] == pytest.approx(start[1] - ratio * start[0], abs=1e-6)
        assert np.abs(robot.loop_error).max() < 1e-10
        errors.append(abs(q[0] - expected))
        assert errors[-1] < 3.0 * dt**2
    assert abs(expected - start[0]) > 0.1
    assert ratio == -1.0 or errors[0] > 3.2 * errors[1] > 10.2 * errors[2]      # of the first the sign changes


@pytest.mark.parametrize("ratio, start", CASES)
def test_energy_does_not_grow(ratio, start):
    """Rows alone gained 0.5 J in 4 s, more the shorter the step."""
    world, robot, _ = tied(2e-3, ratio, np.array(start))
    energies = [energy(robot)]
    for _ in range(5000):
        world.step()
        energies.append(energy(robot))
    assert max(energies) < energies[0] + 1e-3 and min(energies) > energies[0] - 1e-2


@pytest.mark.parametrize("coupled", [False, True])
def test_the_tie_says_what_it_did(coupled):
    """The motors' side of it: mimic forces on both joints in the ratio, and power that adds up to nothing."""
    ratio, start = CASES[1]
    world, robot, tie = tied(1e-3, ratio, np.array(start), coupled)
    left, right = (robot.model.joint_v_index(name) for name in ("left", "right"))
    for _ in range(100):
        world.step()
        force = robot.mimic_force
        assert abs(force[right]) > 1e-3
        assert force[left] == pytest.approx(-ratio * force[right], rel=1e-9)
        assert tie is None or tie.force == pytest.approx(force[right], rel=1e-9)


def test_rows_and_elimination_move_alike():
    ratio, start = CASES[0]
    both = [tied(5e-4, ratio, np.array(start), how=how) for how in ("eliminate", "inloop")]
    for world, _, _ in both:
        world.step(400)
    one, other = (robot for _, robot, _ in both)
    assert one.q == pytest.approx(other.q, abs=5e-3)
    assert np.linalg.norm(other.loop_force("tip")) > 1.0 and np.abs(other.mimic_force).max() > 0.1
    assert one.loop_force("tip") == pytest.approx(other.loop_force("tip"), abs=0.05)
    assert one.mimic_force == pytest.approx(other.mimic_force, abs=0.05)
