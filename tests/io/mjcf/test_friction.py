"""Friction of geoms is in the names of materials; pairs of these rub as MuJoCo's do."""

import itertools

import numpy as np
import pytest

import rbdyn
from rbdyn import Error, io
from rbdyn.io.mjcf.friction import Friction, of_material

mujoco = pytest.importorskip("mujoco")

GEOMS = ('friction="0.3"', 'friction="2 0.1 0.02"', 'condim="6"', 'condim="1"', 'friction="0.5" priority="2"', "",
         'condim="4" priority="2" friction="0.7 0.3 1"', 'friction="0 0 0"', 'friction="0.1234567891234"')  # fmt: skip


def two(a, b):
    return f"""<mujoco><worldbody><body><freejoint/><geom size="0.1" {a}/></body>
    <body pos="0.15 0 0"><freejoint/><geom size="0.1" {b}/></body></worldbody></mujoco>"""


@pytest.mark.parametrize(("a", "b"), list(itertools.combinations_with_replacement(GEOMS, 2)))
def test_pairs_rub_as_in_mujoco(a, b):
    model = mujoco.MjModel.from_xml_string(two(a, b))
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    contact = data.contact[0]
    slide, spin, roll = contact.friction[[0, 2, 3]]
    m = io.load_mjcf(two(a, b))
    one, other = (body.collision[0].material for body in m.bodies if body.collision)
    pair = io.mjcf_materials(m).pair(one, other)
    least = 1.1e-5  # MuJoCo's mjMINMU is 1e-5, so that its cones have an inside
    assert pair.friction == pytest.approx(slide if contact.dim >= 3 else 0.0, rel=1e-8, abs=least)
    assert pair.torsional_friction == pytest.approx(spin if contact.dim >= 4 else 0.0, rel=1e-8, abs=least)
    assert pair.rolling_friction == pytest.approx(roll if contact.dim >= 6 else 0.0, rel=1e-8, abs=least)
    again = io.load_mjcf(io.mjcf_text(m))
    assert [b.collision[0].material for b in again.bodies if b.collision] == [one, other]


def test_names():
    assert Friction().material == "default"
    assert Friction(0.6).material == "friction=0.6"
    full = Friction(1e-3, 2.5, 1e20, 1, -7)
    assert full.material == "friction=0.001 spin=2.5 roll=1e+20 condim=1 priority=-7"
    assert of_material(full.material) == full
    for name in ("steel", "friction=", "friction=1e+e", "friction=1e999", "friction=-1", "friction=1 condim=2"):
        assert of_material(name) is None


def test_a_world_takes_them():
    text = two('friction="0.3"', 'friction="0.4"').replace(
        "<worldbody>", '<worldbody><geom type="plane" size="1 1 1" friction="0.1"/>'
    )
    m = io.load_mjcf(text)
    assert any("io.mjcf_materials" in line for line in m.diagnostics)
    world = rbdyn.World()
    robot = world.add_articulated_system(m)
    table = io.mjcf_materials(m)
    world.materials.replace(table.default, table.pairs())
    q = robot.q.copy()
    q[2], q[7:10] = 0.1, (1.0, 0.0, 0.1)
    robot.set_state(q, np.tile([1.0, 0, 0, 0, 0, 0], 2))
    for _ in range(20):
        world.step()
    # a ball that was pushed slips until it rolls: after t its slip falls by 7/2 mu g t; it loses mu g t of its speed
    slowed = 1.0 - robot.v[[0, 6]]
    assert slowed == pytest.approx(np.array([0.3, 0.4]) * 9.81 * 20 * world.time_step, rel=0.02)


def test_other_materials_are_said():
    body = rbdyn.RigidBody("b", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)))
    body.collision = [rbdyn.mechanism.Geometry(rbdyn.collision.Sphere(0.1), material="steel")]
    m = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    m.attach(m.root_body, body, rbdyn.Joint("j", rbdyn.Floating()))
    with pytest.warns(rbdyn.ExportWarning, match="names of contact materials: left out.*steel"):
        assert "friction" not in io.mjcf_text(m)
    with pytest.raises(Error, match="mechanisms must be Mechanisms, such as load_mjcf reads, got 3"):
        io.mjcf_materials(3)
