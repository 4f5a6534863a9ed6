"""A robot with four closed legs whose file lists motors before knees, and whose nominal_config is depth first."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from reference import minitaur
from reference.minitaur import FOOT, HEIGHT, LEGS, SHIN, WIDTH

import rbdyn
from rbdyn import World, io

ARMS = [(leg, side) for leg in LEGS for side in "RL"]
FILE = [minitaur.motor(*arm) for arm in ARMS] + [minitaur.knee(*arm) for arm in ARMS]
SIDES = [arm for side in ("right", "left") for arm in ARMS if arm[0].endswith(side)]  # which hang on one chassis
DEEP = [joint(*arm) for arm in SIDES for joint in (minitaur.motor, minitaur.knee)]
OWN = FILE[:4][::-1]
ORDERS = {"file": (None, FILE), "depth first": ("depth_first", DEEP), "own": (OWN, OWN + FILE[4:])}


@pytest.mark.parametrize(("order", "names"), ORDERS.values(), ids=ORDERS)
def test_pins_join_the_ends_of_the_shins_whatever_the_order_of_q(order, names):
    """In the plane of a leg, by the lengths of its bars; and at rest in q, motor and knee at their own angles."""
    m = io.load_urdf(minitaur.urdf(), joint_order=order)
    assert [joint.name for joint in m.tree_joints if joint.num_velocities == 1] == names
    angles = [-1.5708 if name.startswith("motor") else -2.2 for name in names]
    assert m.nominal_configuration == (0, 0, 0.35, 0, 0, 1, 0, *angles)
    assert len(m.non_tree_joints) == 4
    for loop in m.non_tree_joints:
        anchor = m.edge(loop).successor_pose.inverse().translation
        np.testing.assert_allclose(anchor, [0, WIDTH, SHIN], atol=1e-3)


@pytest.mark.parametrize("order", [None, "depth_first"])
def test_it_stands(order):
    """Motors hold their angles: pins stay closed, all feet on the ground, and the base at the height of the legs."""
    world = World(1e-3)
    ground = world.add_ground()
    robot = world.add_articulated_system(minitaur.urdf(), joint_order=order)
    assert np.abs(robot.loop_error).max() < 1e-3
    p, d = np.zeros(robot.model.nv), np.zeros(robot.model.nv)
    for arm in ARMS:
        k = robot.model.joint_v_index(minitaur.motor(*arm))
        p[k], d[k] = 100.0, 1.0
    robot.set_pd_gains(p, d)
    robot.set_pd_target(robot.q, np.zeros(robot.model.nv))
    for _ in range(3000):
        world.step()
        assert np.abs(robot.loop_error).max() < 1e-3
    assert np.abs(robot.v).max() < 1e-3
    for leg in LEGS:
        feet = [robot.body(minitaur.shin(leg, side)).point_position((0, 0, SHIN)) for side in "RL"]
        assert min(foot[2] for foot in feet) == pytest.approx(FOOT, abs=1e-3)
        assert np.linalg.norm((feet[0] - feet[1])[[0, 2]]) < 1e-3
    pairs = {(c.body_a, c.body_b) for c in world.contacts}
    assert {name for name, _ in pairs} == {ground.name}
    touching = {leg: {minitaur.shin(leg, side) for side in "RL"} & {name for _, name in pairs} for leg in LEGS}
    assert all(touching.values()), touching
    assert robot.base_position[2] == pytest.approx(HEIGHT + FOOT, abs=5e-3)


def test_the_permutation_is_that_of_the_page():
    """docs/migration/raisim.md, "Joint order"."""
    page = (Path(__file__).resolve().parents[2] / "docs" / "migration" / "raisim.md").read_text("utf-8")
    code = page[page.index("### Joint order") :]
    code = code[code.index("```python") + 9 : code.index("```\n\n## ")]
    names = {"rbdyn": rbdyn, "text": minitaur.urdf()}
    exec(code.replace('models.path("quadruped")', "text"), names)
    q, v, places = names["file"].q, names["file"].v, names["v_places"]
    np.testing.assert_array_equal(names["deep"].q, q[names["q_places"]])
    assert names["deep"].q[7:].tolist() == [-1.5708, -2.2] * 8 != q[7:].tolist()
    M, deep = rbdyn.mass_matrix(names["file"].state), rbdyn.mass_matrix(names["deep"].state)
    np.testing.assert_allclose(deep, M[np.ix_(places, places)], atol=1e-12)
    assert len(set(places)) == len(v)


@pytest.mark.filterwarnings("ignore:URDF in dialect:rbdyn.ExportWarning")
def test_what_is_written_is_read_depth_first_again(seed):
    """At a random closed configuration, written from a random order of the joints."""
    rng = np.random.default_rng(seed)
    m = io.load_urdf(minitaur.urdf(), joint_order=rng.permutation(FILE[:8]).tolist())
    r = io.load_urdf(io.urdf_text(m), joint_order="depth_first")
    state = rbdyn.State(rbdyn.Model(r))
    state.set(np.array(r.nominal_configuration), np.zeros(state.model.nv))
    np.testing.assert_allclose(rbdyn.loop_error(state), 0.0, atol=1e-12)
    for arm in ARMS:
        assert r.nominal_configuration[state.model.joint_q_index(minitaur.knee(*arm))] == -2.2
