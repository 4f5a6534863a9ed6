"""What comes, goes and is rebuilt while it is recorded; and going through a recording again."""

import numpy as np
import pytest
from recording.scenes import busy_world

import rbdyn
from rbdyn import collision, models
from rbdyn.errors import Error, RecordingError


def test_objects_that_come_and_go(tmp_path):
    world = busy_world()
    rec = world.record(every=10, contacts=True, path=tmp_path / "run")
    world.step(30)
    new = world.add_box(0.1, 0.1, 0.1, 1.0, name="new")
    new.set_pose((0.0, 3.0, 1.0))
    world.step(30)
    world.remove("ball")
    world.step(30)
    ends = new.position, world.find("dog").q
    rec.stop()
    found = rbdyn.load_recording(tmp_path / "run")
    assert found.steps.tolist() == list(range(0, 91, 10)) and found.complete
    assert [len(s) for s in found.segments] == [4, 3, 3]
    assert set(found.objects) == {"ground_0", "dog", "arm", "box", "ball", "new"}
    here = np.isfinite(found.positions("new")[:, 0])
    assert here.tolist() == [False] * 4 + [True] * 6
    assert np.isfinite(found.positions("ball")[:, 0]).tolist() == [True] * 7 + [False] * 3
    np.testing.assert_allclose(found.positions("new")[-1], ends[0], atol=1e-15)
    np.testing.assert_array_equal(found.q("dog")[-1], ends[1])
    assert np.isfinite(found.q("dog")).all()
    assert len(found.scenery(0)) + 1 == len(found.scenery(4)) == len(found.scenery(-1)) + 1
    assert np.isfinite(found.kinetic_energy()).all()
    assert [len(part.segments) for part in (found[:4], found[2:6], found[4:])] == [1, 2, 2]
    with pytest.raises(RecordingError, match="came, went or was rebuilt at step 40, 70"):
        found.replay(world)
    with pytest.raises(RecordingError, match="save parts of it"):
        found.save(tmp_path / "run.csv")
    found.save(tmp_path / "run.npz")
    assert [len(s) for s in rbdyn.load_recording(tmp_path / "run.npz").segments] == [4, 3, 3]


def test_an_edit_between_frames_is_in_the_next_one():
    """An object that is added and removed between two frames leaves no trace, and moves no other one's numbers."""
    world = busy_world()
    rec = world.record(every=10)
    world.step(5)
    ball = world.add_sphere(0.1, 1.0, name="short")
    world.step(2)
    world.remove(ball)
    world.step(13)
    assert "short" not in rec.objects
    np.testing.assert_array_equal(rec.linear_velocities("box")[-1], world.find("box").linear_velocity)


def test_surgery_while_it_is_recorded():
    world = rbdyn.World(1e-3)
    arm = world.add_articulated_system(models.six_axis_arm(), name="arm")
    arm.set_state(0.2 * np.ones(6))
    rec = world.record(every=10)
    world.step(20)
    tool = arm.remove_joint(arm.model.joint_names[-1], split=True)
    world.step(20)
    rec.stop()
    assert [s.inventory.by_name["arm"].nq for s in rec.segments] == [6, 5]
    with pytest.raises(RecordingError, match="q of 'arm' has 5 and 6 numbers"):
        rec.q("arm")
    assert rec[:3].q("arm").shape == (3, 6)
    np.testing.assert_array_equal(rec[3:].q("arm")[-1], arm.q)
    assert tool.name in rec.objects and np.isnan(rec.q(tool.name)[0]).all()
    flange = rec.positions("flange", "arm") if ("arm", "flange") in rec.segments[1].inventory.frames else None
    assert flange is None or np.isfinite(flange).all()


def test_another_shape_and_color_are_seen():
    world = rbdyn.World(0.01)
    box = world.add_box(0.1, 0.1, 0.1, 1.0, name="box")
    rec = world.record(every=1)
    world.step(2)
    box.add_geometry(rbdyn.Geometry(collision.shapes.Sphere(0.2), color=(1.0, 0.0, 0.0, 1.0)))
    box.remove_geometry(0)
    world.step(2)
    before, after = (rec.scenery(k).items[0] for k in (0, -1))
    assert isinstance(before.shape, collision.shapes.Box)
    assert after.shape == collision.shapes.Sphere(0.2) and after.color == (1.0, 0.0, 0.0, 1.0)


def test_going_back_within_a_recording():
    world = busy_world()
    start = world.snapshot()
    rec = world.record(every=10)
    world.step(40)
    world.restore(start)
    world.step(20)
    rec.stop()
    assert rec.steps.tolist() == [0, 10, 20, 30, 40, 10, 20]
    np.testing.assert_array_equal(rec.q("dog")[1:3], rec.q("dog")[5:7])
    with pytest.raises(Error, match="went from time 0.08 back to 0.02 s at frame 5"):
        rec.resample(rate=100)
    with pytest.raises(RecordingError, match="went back"):
        rec.replay(world)
    assert rec[:5].resample(rate=100.0).time[-1] == 0.08


def test_replay_has_the_same_bits(tmp_path):
    world = busy_world()
    world.step(17)
    with world.record(every=4, contacts=True, path=tmp_path / "run") as rec:
        world.step(90)
    end = world.state_hash()
    assert rec.replay(world) == end == world.state_hash()
    found = rbdyn.load_recording(tmp_path / "run")
    other = busy_world()
    assert found.replay(other) == end
    found.save(tmp_path / "run.npz")
    assert rbdyn.load_recording(tmp_path / "run.npz").replay(busy_world()) == end


def test_replay_with_commands_from_outside():
    def push(world):
        world.find("box").set_external_force("box", (0.0, 0.0, 10.0 * np.sin(world.time)))

    world = busy_world()
    with world.record(every=5) as rec:
        for _ in range(30):
            push(world)
            world.step()
    assert rec.replay(busy_world(), push) == world.state_hash()
    with pytest.raises(RecordingError, match=r"frame 1 \(step 5, .*'box' of 'box'.*before_step"):
        rec.replay(busy_world())


def test_replay_of_scheduled_commands():
    def make():
        world = busy_world()
        dog = world.find("dog")
        world.schedule(lambda world: dog.set_pd_target(joints={"LF_HFE": world.random.normal()}), rate=50.0)
        return world

    world = make()
    with world.record(every=5) as rec:
        world.step(50)
    assert rec.replay(make()) == world.state_hash()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [((3,), "world must be a World"), ((rbdyn.World(0.01), 3), "before_step must be"),
     ((rbdyn.World(0.01),), "does not fit this World")],
)  # fmt: skip
def test_wrong_replays(arguments, message):
    world = busy_world()
    with world.record() as rec:
        world.step(5)
    with pytest.raises(Error, match=message):
        rec.replay(*arguments)


def test_resampling_turns_at_constant_speed():
    world = rbdyn.World(0.01, gravity=(0.0, 0.0, 0.0))
    ball = world.add_sphere(0.1, 1.0, name="ball")
    axis = np.array([1.0, 2.0, 2.0]) / 3.0
    ball.set_velocity((1.0, -2.0, 0.5), 5.0 * axis)
    with world.record(every=10) as rec:
        world.step(200)
    times = np.sort(np.random.default_rng(1).uniform(0.0, 2.0, 50))
    found = rec.resample(times)
    np.testing.assert_array_equal(found.time, times)
    np.testing.assert_allclose(found.positions("ball"), times[:, None] * (1.0, -2.0, 0.5), atol=1e-12)
    turned = np.column_stack([np.cos(2.5 * times), np.sin(2.5 * times)[:, None] * axis])
    np.testing.assert_allclose(np.abs((found.orientations("ball") * turned).sum(axis=1)), 1.0, atol=1e-12)
    assert len(rec.resample(rate=25.0)) == 51
    np.testing.assert_allclose(rec.resample(rec.time).segments[0].rows, rec.segments[0].rows, atol=1e-15)


def test_resampling_a_robot_stays_on_its_manifold():
    world = busy_world()
    with world.record(every=10, contacts=True, user=lambda w: {"t": w.time}) as rec:
        world.step(100)
    found = rec.resample(rate=333.0)
    q = found.q("dog")
    np.testing.assert_allclose(np.linalg.norm(q[:, 3:7], axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(found.orientations("LF_FOOT"), axis=1), 1.0, atol=1e-12)
    before = np.searchsorted(rec.time, found.time, side="right") - 1
    np.testing.assert_array_equal(found.user["t"], rec.time[before])
    np.testing.assert_array_equal(found.contact_forces("dog"), rec.contact_forces("dog")[before])
    np.testing.assert_allclose(q[:, 0], np.interp(found.time, rec.time, rec.q("dog")[:, 0]), atol=1e-12)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "give either times or rate"),
        ({"times": [0.0], "rate": 3.0}, "give either times or rate"),
        ({"rate": 0.0}, "rate must be"),
        ({"rate": np.nan}, "rate must be"),
        ({"rate": 1e15}, "at most"),
        ({"times": "now"}, "times must be"),
        ({"times": []}, "times must be"),
        ({"times": [0.0, 0.0]}, "ascend"),
        ({"times": [0.0, np.inf]}, "finite"),
        ({"times": [-1.0, 0.01]}, "times must be from 0 to 0.02 s"),
    ],
)
def test_wrong_times(options, message):
    world = busy_world()
    with world.record(every=5) as rec:
        world.step(10)
    with pytest.raises(Error, match=message):
        rec.resample(**options)


def test_shapes_of_every_kind_come_back(tmp_path):
    s = collision.shapes
    rng = np.random.default_rng(0)
    tetra = s.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0 / 3.0]], [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
    shapes = [s.Sphere(0.3), s.Box((0.1, 0.2, 0.3)), s.Capsule(0.1, 0.4), s.Cylinder(0.1, 0.4), s.Cone(0.2, 0.5),
              s.Ellipsoid((0.1, 0.2, 0.3)), tetra, tetra.convex_hull()]  # fmt: skip
    world = rbdyn.World(0.01)
    world.add_ground()
    heights = rng.normal(size=(4, 5))
    world.add_height_map(heights, size=(2.0, 3.0))
    for shape in shapes:
        world.add_single_body([rbdyn.Geometry(shape)], mass=1.0, inertia=np.eye(3))
    world.add_single_body([rbdyn.Geometry(tetra, color=(0.1, 0.2, 0.3, 0.4))], mass=1.0, inertia=np.eye(3))
    world.record(path=tmp_path / "run").stop()
    found = rbdyn.load_recording(tmp_path / "run").scenery(0, "both")
    kinds = [type(item.shape).__name__ for item in found.items]
    assert kinds == ["HalfSpace", "HeightMap", *(type(shape).__name__ for shape in shapes), "Mesh"]
    assert [item.shape for item in found.items[2:-1]] == shapes
    assert found.items[-1].shape is found.items[-3].shape and found.items[-1].color == (0.1, 0.2, 0.3, 0.4)
    np.testing.assert_array_equal(found.items[1].shape.heights, heights)
