"""Wires, loops, sensors and what users draw, in viser's scene: they stand where the World has them."""

import re

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.errors import Error
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.scenery.marks import AXIS_SHARE
from rbdyn.sensors import DepthCamera, Imu, RangeSensor, RgbCamera, SpinningLidar
from rbdyn.viewer.sensing import cloud, picture, upright
from rbdyn.viewer.sources import WorldSource, recorded_frame

pytest.importorskip("viser", reason="needs viser")


def scene():
    world = rbdyn.World(2e-3)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_state(QUADRUPED_STANCE.q)
    box = world.add_box(0.5, 0.5, 0.5, 5.0, name="box")
    box.set_pose((1.2, 0.0, 0.4))
    return world, dog, box


def handle(viewer, kind):
    return viewer.canvas._overlay._handles[kind]


def shown(viewer):
    """Draw the World as it is now."""
    with viewer._lock:
        viewer._source._given = -1.0
        viewer._frame = frame = viewer._source.next()
        viewer.canvas.show(frame)
    return frame


def test_wires_and_gaps_of_loops():
    world, dog, box = scene()
    wire = world.add_stiff_wire(dog.body("base"), box, point_a=(0, 0, 0.3), point_b=(0, 0, 0.25))
    pin = rbdyn.Joint("pin", rbdyn.Revolute((0, 0, 1)))
    world.add_joint(None, box, pin, rbdyn.Transform(translation=(1.2, 0, 0.4)))
    with world.view(open_browser=False) as viewer:
        box.set_pose((1.2, 0.0, 0.5))  # opens the joint by 0.1 m
        frame = shown(viewer)
        lines = handle(viewer, "wires")._lines._handle.points
        np.testing.assert_allclose(lines, [wire.points], atol=1e-6)
        loops = handle(viewer, "loops")._lines._handle.points
        assert len(loops) == 3
        np.testing.assert_allclose(loops[0], [(1.2, 0, 0.4), (1.2, 0, 0.5)], atol=1e-6)
        length = AXIS_SHARE * viewer.canvas._overlay._tie_size
        np.testing.assert_allclose(loops[1], [(1.2, 0, 0.4 - length), (1.2, 0, 0.4 + length)], atol=1e-6)
        viewer.show("wires", False)
        assert "wires" not in viewer.canvas._overlay._handles
        world.remove(wire)
        assert shown(viewer).inventory is not frame.inventory
        viewer.show("wires")
        assert handle(viewer, "wires")._lines._handle is None


def test_what_users_draw():
    world, _, box = scene()
    world.sketch.sphere("ball", (0, 0, 0.5), 0.1, (1, 0, 0, 0.5), on=box)
    world.sketch.arrow("arrow", (0, 0, 1), (0, 1, 1))
    world.sketch.line("line", [(0, 0, 0), (1, 0, 0), (1, 0, 0), (1, 1, 0)])
    world.sketch.label("label", "a <b>/c", (0, 0, 0.3), on=box)
    with world.view(open_browser=False) as viewer:
        drawn = handle(viewer, "sketch")._drawn
        assert set(drawn) == {"ball", "arrow", "line", "label"}
        np.testing.assert_allclose(drawn["ball"][1].position, (1.2, 0, 0.9), atol=1e-6)
        assert drawn["ball"][1].opacity == 0.5
        np.testing.assert_allclose(drawn["arrow"][1]._handle.points, [[(0, 0, 1), (0, 1, 1)]])
        assert len(drawn["line"][1]._handle.points) == 2
        assert all(re.fullmatch(r"/sketch/\d+", h.name) for h in (drawn["ball"][1], drawn["label"][1]))
        before = {name: made for name, (_, made) in drawn.items()}
        box.set_pose((0.0, 0.0, 1.0), (0.0, 1.0, 0.0, 0.0))
        viewer.sketch.arrow("arrow", (0, 0, 1), (1, 0, 1))
        viewer.sketch.label("label", "another", (0, 0, 0.3), on=box)
        shown(viewer)
        drawn = handle(viewer, "sketch")._drawn
        np.testing.assert_allclose(drawn["ball"][1].position, (0, 0, 0.5), atol=1e-6)
        np.testing.assert_allclose(drawn["arrow"][1]._handle.points, [[(0, 0, 1), (1, 0, 1)]])
        kept = {name for name, (_, made) in drawn.items() if made is before[name]}
        assert kept == {"ball", "arrow", "line"}  # moved, and the label made anew
        world.remove(box)
        shown(viewer)
        assert set(handle(viewer, "sketch")._drawn) == {"arrow", "line"}
        world.sketch.clear()
        shown(viewer)
        assert handle(viewer, "sketch")._drawn == {}


def test_a_mechanism_without_a_world_is_drawn_on_by_name():
    with rbdyn.view(models.six_axis_arm(), open_browser=False) as viewer:
        name = viewer._source.state.model.body_names[-1]
        viewer.sketch.sphere("tip", (0.0, 0.0, 0.1), 0.02, on=name)
        for _ in range(2):
            viewer.set_joint("joint_2", 0.7)
            with viewer._lock:
                viewer.canvas.show(viewer._source.next() or viewer._frame)
            X = rbdyn.body_pose(viewer._source.state, name)
            at = handle(viewer, "sketch")._drawn["tip"][1].position
            np.testing.assert_allclose(at, X[:3, 3] + 0.1 * X[:3, 2], atol=1e-6)
            viewer.set_joint("joint_3", 0.4)
    world, _, _ = scene()
    with world.record() as rec:
        world.step(10)
    with rec.view(open_browser=False) as viewer, pytest.raises(Error, match="a recording shows what was drawn"):
        viewer.sketch  # noqa: B018


def sensed():
    world, dog, _ = scene()
    eyes = rbdyn.Transform(translation=(0.31, 0, 0.0))
    sensors = [
        Imu("imu"), RgbCamera("rgb", eyes, width=64, height=48), DepthCamera("depth", eyes, width=64, height=48),
        SpinningLidar("lidar", rbdyn.Transform(translation=(0, 0, 0.3)), yaw_samples=90, pitch_samples=4,
                      pitch_min_angle=-0.9, pitch_max_angle=-0.1),
        RangeSensor("range", eyes),
    ]  # fmt: skip
    head = dog.add_sensor_set("head", sensors, link="base")
    for one in head.sensors:
        one.measure()
    return world, dog, head


def test_sensors_show_what_they_measured():
    world, dog, head = sensed()
    source = WorldSource(world)
    frame = source.next()
    told = {one.name.split("/")[-1]: one for one in frame.sensors}
    assert list(told) == ["imu", "rgb", "depth", "lidar", "range"]
    values = {name: frame.measured[one.name] for name, one in told.items()}
    np.testing.assert_allclose(cloud(told["lidar"], values["lidar"]), head["lidar"].scan("sensor"), atol=1e-12)
    seen = head["depth"].points("sensor").reshape(-1, 3)
    np.testing.assert_allclose(cloud(told["depth"], values["depth"]), seen[np.isfinite(seen).all(axis=1)], atol=1e-12)
    np.testing.assert_array_equal(picture(values["rgb"]), head["rgb"].image)
    shades, met = picture(values["depth"])[..., 0], np.isfinite(values["depth"]["depth"])
    order = np.argsort(values["depth"]["depth"][met])
    assert (np.diff(shades[met][order].astype(int)) <= 0).all() and np.ptp(shades[met]) > 150
    assert upright(told["rgb"].sizes) == pytest.approx(2 * np.arctan(24.0 / head["rgb"].camera.intrinsics[1]))
    with world.view(open_browser=False) as viewer:
        viewer.show("sensors")
        shown(viewer)
        made = handle(viewer, "sensors")._handles
        np.testing.assert_allclose(made[0]["axes"].position, head["imu"].position, atol=1e-6)
        np.testing.assert_allclose(made[1]["frustum"].position, head["rgb"].position, atol=1e-6)
        beam = made[4]["beams"]._handle.points
        at = head["range"].position
        np.testing.assert_allclose(beam, [[at, at + (head["range"].range, 0, 0)]], atol=1e-6)
        head.remove()
        shown(viewer)
        assert handle(viewer, "sensors")._handles == []
    source.close()


def test_sensors_of_a_recording():
    """At each frame what was measured latest, until then."""
    world, dog, head = sensed()
    head["range"].update_rate = 100.0
    head["lidar"].update_rate = 50.0
    with world.record(every=2, sensors=True) as rec:
        world.step(60)
    for k in (0, 7, 30):
        frame = recorded_frame(rec, k)
        times = rec.sensors["dog/head/range"]["time"]
        at = int(np.flatnonzero(times <= frame.time + 1e-9)[-1])
        assert frame.measured["dog/head/range"]["range"] == rec.sensors["dog/head/range"]["range"][at]
    assert len(cloud(frame.sensors[3], frame.measured["dog/head/lidar"])) > 0
