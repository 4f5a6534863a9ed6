"""Frames hold what the World's public API says, bit for bit where nothing is converted."""

import numpy as np
import pytest
from recording.scenes import Seen, busy_world
from reference.c_heap import heap, needs_mallinfo2

import rbdyn
from rbdyn import models
from rbdyn.errors import BusyError, Error, PathError, RecordingError, UnknownNameError


@pytest.mark.parametrize("every", [1, 7])
def test_frames_are_what_the_world_says(every):
    world = busy_world()
    seen = Seen(world, every)
    rec = world.record(every=every, contacts=True)
    world.step(70)
    rec.stop()
    frames = seen.frames
    assert len(rec) == len(frames) == 70 // every + 1
    assert rec.steps.tolist() == [f["steps"] for f in frames]
    assert rec.time.tolist() == [f["time"] for f in frames]
    assert rec.robots == ("dog", "arm")
    for name in rec.robots:
        np.testing.assert_array_equal(rec.q(name), [f["q"][name] for f in frames])
        np.testing.assert_array_equal(rec.v(name), [f["v"][name] for f in frames])
        np.testing.assert_allclose(rec.center_of_mass(name), [f["center"][name] for f in frames], rtol=0, atol=1e-14)
    for obj, body in frames[0]["poses"]:
        expected = [f["poses"][obj, body] for f in frames]
        np.testing.assert_allclose(rec.poses(body, obj), expected, rtol=0, atol=3e-15)
    for name in frames[0]["velocities"]:
        np.testing.assert_array_equal(rec.linear_velocities(name), [f["velocities"][name][0] for f in frames])
        np.testing.assert_array_equal(rec.angular_velocities(name), [f["velocities"][name][1] for f in frames])
    for name in frames[0]["kinetic"]:
        for values, key in ((rec.kinetic_energy(name), "kinetic"), (rec.potential_energy(name), "potential")):
            np.testing.assert_allclose(values, [f[key][name] for f in frames], rtol=1e-12, atol=1e-12)
    assert rec.kinetic_energy("dog")[0] > 0.1 and abs(rec.potential_energy("arm")[0]) > 1.0
    np.testing.assert_allclose(rec.kinetic_energy(), [sum(f["kinetic"].values()) for f in frames], rtol=1e-12)


def test_contacts_are_those_of_the_world():
    world = busy_world()
    seen = Seen(world)
    with world.record(every=1, contacts=True) as rec:
        world.step(60)
    counts = [len(f["contacts"]) for f in seen.frames]
    assert counts[0] == 0 and max(counts) >= 5
    for k in range(1, len(rec)):  # before the first step the World's contacts have no impulses
        found = rec.contacts(k)
        assert len(found) == counts[k]
        for c, (a, link, shape, b, other, *numbers) in zip(found, seen.frames[k]["contacts"], strict=True):
            assert (c.object_a, c.link_a, c.geometry_a, c.object_b, c.geometry_b) == (a, link, shape, b, other)
            for value, expected in zip((c.position, c.normal, c.depth, c.force), numbers, strict=True):
                np.testing.assert_array_equal(value, expected)
    on_dog = [sum((c[8] if c[0] == "dog" else -c[8] for c in f["contacts"] if "dog" in (c[0], c[3])), np.zeros(3))
              for f in seen.frames]  # fmt: skip
    np.testing.assert_allclose(rec.contact_forces("dog"), on_dog, rtol=1e-12, atol=1e-9)
    assert np.abs(on_dog).max() > 100.0
    np.testing.assert_allclose(rec.contact_forces("dog") + rec.contact_forces("box") + rec.contact_forces("ball"),
                               -rec.contact_forces("ground_0"), rtol=1e-12, atol=1e-9)  # fmt: skip
    np.testing.assert_allclose(
        sum(rec.contact_forces(f"{leg}_FOOT") for leg in ("LF", "RF", "LH", "RH")), rec.contact_forces("dog"), atol=1e-9
    )


def test_contacts_of_sleepers_are_recorded_too():
    world = rbdyn.World(0.005)
    world.add_ground()
    for k in range(3):
        world.add_box(0.2, 0.2, 0.2, 1.0).set_pose((0.0, 0.0, 0.1 + 0.2 * k))
    world.sleeping = True
    with world.record(every=50, contacts=True) as rec:
        world.step(300)
        assert world.objects[1].asleep
    assert len(rec.contacts(-1)) == len(world.contacts) == 12
    for c, expected in zip(rec.contacts(-1), world.contacts, strict=True):
        np.testing.assert_array_equal(c.force, expected.force)


def test_the_inertial_frame_is_the_world():
    world = busy_world()
    rec = world.record()
    assert (rec.poses("world") == np.eye(4)).all()
    assert (rec.poses("base", "arm")[0, :3, 3] == (2.0, 1.0, 0.5)).all()
    assert rec.bodies[0] == ("ground_0", "ground_0")


def test_joints_by_name():
    world = busy_world()
    with world.record(every=5) as rec:
        world.step(20)
    dog = world.find("dog")
    assert rec.joint_names("dog") == tuple(n for n in dog.model.joint_names if n != "ROOT")
    np.testing.assert_array_equal(rec.joint_positions(["RH_KFE", "LF_HAA"], "dog")[-1],
                                  [dog.joint("RH_KFE").q, dog.joint("LF_HAA").q])  # fmt: skip
    np.testing.assert_array_equal(rec.joint_velocities("LF_HFE", "dog")[:, 0], rec.v("dog")[:, 7])


def test_default_is_a_hundred_frames_a_second():
    for dt, expected in ((1e-3, 10), (2e-3, 5), (0.004, 2), (0.02, 1)):
        assert rbdyn.World(dt).record().every == expected


def test_recordings_change_no_bit():
    plain, recorded = busy_world(), busy_world()
    with recorded.record(every=1, contacts=True, user=lambda world: {"time": world.time}):
        recorded.step(100)
    plain.step(100)
    assert plain.state_hash() == recorded.state_hash()


def test_the_last_frame_is_the_end():
    world = busy_world()
    with world.record(every=30) as rec:
        world.step(70)
    assert rec.steps.tolist() == [0, 30, 60, 70]
    np.testing.assert_array_equal(rec.q("dog")[-1], world.find("dog").q)
    world.step(30)
    assert len(rec) == 4 and not rec.is_recording


def test_a_recorder_can_be_asked_while_it_goes_on():
    world = busy_world()
    rec = world.record(every=10)
    world.step(25)
    assert rec.steps.tolist() == [0, 10, 20]
    world.step(25)
    assert len(rec) == 6
    assert rec.positions("ball").shape == (6, 3)
    rec.stop()
    rec.stop()
    assert len(rec) == 6


def test_user_values():
    world = busy_world()
    box = world.find("box")
    calls = []

    def user(given):
        calls.append(given.steps)
        return {"height": box.position[2], "n": len(given.contacts), "R": box.rotation, "empty": np.empty(0)}

    with world.record(every=20, user=user) as rec:
        world.step(50)
    assert calls == [0, 20, 40, 50]
    assert rec.user["height"].shape == (4,) and rec.user["R"].shape == (4, 3, 3) and rec.user["empty"].shape == (4, 0)
    np.testing.assert_array_equal(rec.user["height"], rec.positions("box")[:, 2])
    np.testing.assert_array_equal(rec.user["R"][-1], box.rotation)
    assert rec.user["n"][0] == 0 and rec.user["n"][-1] == len(world.contacts)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1.0], "user must return a dict"),
        ({"x": "text"}, "'x' must be a number"),
        ({"x": [1.0, [2.0]]}, "'x' must be a number"),
        ({"x": 1j}, "'x' must be a number"),
        ({"y": 2.0}, "same names and shapes"),
        ({"x": [1.0, 2.0]}, "same names and shapes"),
    ],
)
def test_what_users_may_not_give(values, message):
    world = rbdyn.World(0.01)
    given = [{"x": 0.0}, values]
    rec = world.record(every=1, user=lambda world: given[min(world.steps, 1)])
    with pytest.raises(Error, match=message):
        world.step()
    assert world.steps == 1  # the step was done
    world.remove_observer(rec._observer)
    world.step()
    rec._user = None
    assert rec.stop().user["x"][0] == 0.0


def test_slices_and_spans():
    world = busy_world()
    with world.record(every=2, contacts=True) as rec:
        world.step(60)
    part = rec[10:20:3]
    assert part.steps.tolist() == [20, 26, 32, 38]
    np.testing.assert_array_equal(part.q("arm"), rec.q("arm")[10:20:3])
    np.testing.assert_array_equal(part.contact_forces("dog"), rec.contact_forces("dog")[10:20:3])
    assert part.between(0.05, 0.07).steps.tolist() == [26, 32]
    assert len(rec[-1:]) == 1
    with pytest.raises(RecordingError, match="no snapshot"):
        part.replay(world)


@pytest.mark.parametrize(
    ("ask", "error", "message"),
    [
        (lambda rec: rec.q(), Error, "say of which robot: 'dog', 'arm'"),
        (lambda rec: rec.q("dgo"), UnknownNameError, "did you mean 'dog'"),
        (lambda rec: rec.q("ball"), UnknownNameError, "no robot named 'ball'"),
        (lambda rec: rec.positions("LF_FOTO"), UnknownNameError, "did you mean 'LF_FOOT'"),
        (lambda rec: rec.positions(3), Error, "body must be a name"),
        (lambda rec: rec.positions("LF_FOOT", "arm"), UnknownNameError, "no body named 'LF_FOOT'"),
        (lambda rec: rec.positions("base"), Error, "'base' is in 'dog', 'arm': say of which object"),
        (lambda rec: rec.joint_positions("LF_KFF", "dog"), UnknownNameError, "did you mean 'LF_KFE'"),
        (lambda rec: rec.joint_positions("ROOT", "dog"), UnknownNameError, "one degree of freedom"),
        (lambda rec: rec.joint_positions(3, "dog"), Error, "joints must be a name or a sequence"),
        (lambda rec: rec.linear_velocities("dog"), UnknownNameError, "no single body named 'dog'"),
        (lambda rec: rec.kinetic_energy("cat"), UnknownNameError, "no object named 'cat'"),
        (lambda rec: rec.contacts(0), RecordingError, "record\\(contacts=True\\)"),
        (lambda rec: rec.contact_forces("dog"), RecordingError, "record\\(contacts=True\\)"),
        (lambda rec: rec.carrier_poses(3), Error, "frame must be an int from 0 to 2"),
        (lambda rec: rec[1], Error, "must be a slice"),
        (lambda rec: rec[5:], Error, "has none"),
        (lambda rec: rec[::-1], Error, "cannot be turned round"),
        (lambda rec: rec.between(5.0, 6.0), Error, "no frame is from 5 to 6 s: they are from 0 to 0.02 s"),
        (lambda rec: rec.save("run.xyz"), Error, "saved as .csv"),
        (lambda rec: rec.save(3), Error, "path must be a str"),
        (lambda rec: rec.scenery(0, "all"), Error, "geometry"),
    ],
)
def test_wrong_questions(ask, error, message):
    world = busy_world()
    with world.record(every=5) as rec:
        world.step(10)
    with pytest.raises(error, match=message):
        ask(rec)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"every": 0}, Error, "every must be"),
        ({"every": 2.5}, Error, "every must be"),
        ({"contacts": "yes"}, Error, "contacts must be"),
        ({"user": 3}, Error, "user must be a function"),
        ({"path": 3}, Error, "path must be a str"),
        ({"path": "/no/such/folder/run.rec"}, PathError, "/no/such/folder/run.rec"),
        ({"path": "."}, PathError, "cannot be written"),
        ({"path": "a\0b"}, PathError, "cannot be written"),
    ],
)
def test_wrong_beginnings(options, error, message):
    world = busy_world()
    with pytest.raises(error, match=message):
        world.record(**options)
    world.step()


def test_recordings_begin_and_end_between_steps():
    world = busy_world()
    world.integrate1()
    with pytest.raises(BusyError):
        world.record()
    world.integrate2()
    rec = world.record()
    world.integrate1()
    with pytest.raises(BusyError):
        rec.stop()
    world.integrate2()
    assert len(rec.stop()) == 2
    tries = []

    @world.add_observer
    def look(given):
        with pytest.raises(BusyError):
            given.record()
        tries.append(given.steps)

    world.step()
    assert len(tries) == 1


@needs_mallinfo2
def test_a_step_that_is_recorded_allocates_nothing(tmp_path):
    world = busy_world()
    world.step(500)
    rec = world.record(every=1, contacts=True, path=tmp_path / "run")
    world.step(300)
    before = few = many = heap()
    before = heap()
    world.step(10)
    few = heap()
    world.step(3000)
    many = heap()
    assert before == few == many
    size = (tmp_path / "run").stat().st_size
    assert size > 3000 * 1000  # most of it is in the file, not in memory
    rec.stop()
    assert len(rec) == 3311


def test_a_model_without_a_world():
    model = rbdyn.Model(models.double_pendulum())
    state = rbdyn.State(model)
    state.set([0.5, -0.2])
    trajectory = rbdyn.simulate(state, 0.5, time_step=0.01)
    rec = trajectory.recording()
    assert len(rec) == len(trajectory.times) == 51
    np.testing.assert_array_equal(rec.q(), trajectory.q)
    total = rec.kinetic_energy() + rec.potential_energy()
    assert np.ptp(rec.kinetic_energy()) > 0.1 and np.ptp(total) < 1e-6
    tip = model.body_names[-1]
    state.set(trajectory.q[-1], trajectory.v[-1])
    np.testing.assert_allclose(rec.poses(tip)[-1], rbdyn.body_pose(state, tip), atol=1e-14)
    again = rbdyn.recording_of(model, trajectory.times, trajectory.q, trajectory.v)
    np.testing.assert_array_equal(again.poses(tip), rec.poses(tip))
    assert len(rbdyn.recording_of(models.double_pendulum(), [0.0, 1.0], np.zeros((2, 2))).scenery()) > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((3,), "source must be a Trajectory"),
        ((models.double_pendulum(),), "needs times and q"),
        ((models.double_pendulum(), [1.0, 0.0], np.zeros((2, 2))), "times must be"),
        ((models.double_pendulum(), [0.0, 1.0], np.zeros((2, 3))), "q"),
        ((models.double_pendulum(), [0.0, 1.0], np.zeros((2, 2)), np.zeros((1, 2))), "v"),
        ((rbdyn.Trajectory(np.zeros(1), np.zeros((1, 2)), np.zeros((1, 2))),), "does not know its model"),
    ],
)
def test_wrong_sources(arguments, message):
    with pytest.raises(Error, match=message):
        rbdyn.recording_of(*arguments)


def test_measurements_of_sensors(tmp_path):
    """At their own rates, images and changing numbers of contacts too; beside what an observer reads."""
    from rbdyn.sensors import ContactSensor, Imu, RgbCamera

    world = busy_world()
    dog = world.find("dog")
    sensors = [Imu(name="imu", update_rate=100.0), RgbCamera(name="eye", update_rate=25.0, width=8, height=6),
               ContactSensor(name="touched", update_rate=50.0)]  # fmt: skip
    made = dog.add_sensor_set("kit", sensors, link="base")
    imu = made.sensor("imu")
    seen = {}
    world.add_observer(lambda world: seen.setdefault(imu.time_stamp, imu["linear_acceleration"]))
    with world.record(every=20, sensors=True, path=tmp_path / "run") as rec:
        world.step(100)
    seen.pop(-1.0, None)
    for found in (rec, rbdyn.load_recording(tmp_path / "run")):
        measured = found.sensors["dog/kit/imu"]
        assert measured["time"].tolist() == list(seen) and len(seen) >= 19
        np.testing.assert_array_equal(measured["linear_acceleration"], list(seen.values()))
        images = next(v for k, v in found.sensors["dog/kit/eye"].items() if k != "time")
        assert images.shape == (5, 6, 8, 3) and images.dtype == np.uint8
        assert all(len(v) == len(found.sensors["dog/kit/touched"]["time"]) for v in
                   found.sensors["dog/kit/touched"].values())  # fmt: skip
    rec.save(tmp_path / "run.npz")
    again = rbdyn.load_recording(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.sensors["dog/kit/imu"]["time"], list(seen))
    part = rec.between(0.05, 0.15).sensors["dog/kit/imu"]["time"]
    assert len(part) < len(seen) and part.min() >= 0.08 and part.max() <= 0.12 + 1e-12
    only = world.record(sensors=[imu])
    world.step(20)
    assert list(only.sensors) == ["dog/kit/imu"]
    for wrong in (3, [3], [dog]):
        with pytest.raises(Error, match="sensors must"):
            world.record(sensors=wrong)


# ---- what was drawn -------------------------------------------------------------------------------------------------


def drawn_world():
    world = rbdyn.World(2e-3)
    ball = world.add_sphere(0.1, 1.0, name="ball")
    world.add_stiff_wire(None, ball, length=1.0, point_a=(0.0, 0.3, 1.0))
    return world, ball


def told(strokes):
    return [(one.name, one.kind, one.points.tolist(), one.color, one.on, one.width, one.text) for one in strokes]


def test_what_was_drawn_at_each_frame(tmp_path):
    """A sketch that changes at odd steps, and of every third step a frame: each frame has the sketch of its time."""
    world, ball = drawn_world()
    rng, expected = np.random.default_rng(0), []
    world.sketch.sphere("old", (0, 0, 1), on=ball)

    def draw(world):
        k = world.steps
        if k % 2 and k < 20:
            world.sketch.arrow("push", rng.normal(size=3), rng.normal(size=3), 0.02, rng.uniform(size=3), ball)
        if k == 7:
            world.sketch.label("note", "seven", (1, 2, 3))
            world.sketch.remove("old")
        if k == 20:
            world.sketch.clear()

    with world.record(every=3, path=tmp_path / "run") as rec:
        expected.append(told(world.sketch))
        for _ in range(30):
            draw(world)
            world.step()
            if world.steps % 3 == 0:
                expected.append(told(world.sketch))
    assert len(rec) == len(expected) == 11
    kept = rbdyn.load_recording(tmp_path / "run")
    kept.save(tmp_path / "run.npz")
    for one in (rec, kept, rbdyn.load_recording(tmp_path / "run.npz")):
        assert [told(one.strokes(k)) for k in range(11)] == expected
        assert [told(one[2::4].strokes(k)) for k in range(3)] == expected[2::4]
        times = [float(one.time[3]) + 1e-4, float(one.time[9])]
        assert [told(one.resample(times=times).strokes(k)) for k in (0, 1)] == [expected[3], expected[9]]
    assert expected[2] != expected[3] != expected[-1] and expected[-1] == []
    shape = kept.strokes(0)[0].shape
    assert (type(shape).__name__, shape.radius) == ("Sphere", 0.05)


def test_pictures_of_recordings_show_what_the_world_showed():
    world, ball = drawn_world()
    camera = rbdyn.Camera(width=64, height=48, position=(3, 0, 1), target=(0, 0, 0.5))
    with world.record(every=1) as rec:
        for k in range(3):
            world.sketch.line("way", [(0, -1, 0), (0, 1, 0.3 * k)], 0.05)
            world.step(10)
            seen = world.render(camera, show=("sketch", "wires"))
            one = rec.scenery(-1)
            np.testing.assert_array_equal(rbdyn.scenery.render(one, camera, show=("sketch", "wires")), seen)
            assert (seen != world.render(camera, show="wires")).any()
            assert (seen != world.render(camera, show="sketch")).any()


def test_ties_and_sensors_are_kept(tmp_path):
    from rbdyn.sensors import RangeSensor

    world, ball = drawn_world()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.add_sensor_set("set", [RangeSensor("eye", rbdyn.Transform(translation=(0.3, 0, 0)), update_rate=100.0)])
    with world.record(every=5, path=tmp_path / "run", sensors=True) as rec:
        world.step(20)
        dog.add_sensor_set("more", [RangeSensor("ear", update_rate=50.0)], link="LF_FOOT")
        world.step(20)
    kept = rbdyn.load_recording(tmp_path / "run")
    first, last = kept.segments[0].inventory, kept.segments[-1].inventory
    (tie,) = first.ties
    assert (tie.kind, tie.name) == ("wires", world.constraints[0].name)
    np.testing.assert_allclose(last.ties[0].points(kept.carrier_poses(-1)), world.constraints[0].points, atol=1e-12)
    assert [s.name for s in first.sensors] == ["dog/set/eye"]
    assert [(s.name, s.type) for s in last.sensors] == [("dog/set/eye", "range"), ("dog/more/ear", "range")]
    X = kept.carrier_poses(-1)[last.sensors[1].place.carrier] @ last.sensors[1].place.pose
    np.testing.assert_allclose(X, dog.sensor_set("more")["ear"].pose, atol=1e-12)
    assert kept.sensors["dog/set/eye"]["range"].shape == kept.sensors["dog/set/eye"]["time"].shape
    assert rec.stop().complete
