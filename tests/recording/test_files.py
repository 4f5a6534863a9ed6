"""Files survive the end of their writer, and say when they are not what was written."""

import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from recording.scenes import busy_world

import rbdyn
from rbdyn import recording
from rbdyn.errors import Error, PathError, RecordingError
from rbdyn.recording.records import file_head, find_records, record

posix = pytest.mark.skipif(os.name != "posix", reason="needs signals and limits of POSIX")


def fallen_ball(path, steps=20, **options):
    world = rbdyn.World(0.01)
    ball = world.add_sphere(0.1, 1.0, name="ball")
    ball.set_pose((0.0, 0.0, 1.0))
    with world.record(every=1, path=path, **options) as rec:
        world.step(steps)
    return rec


def same(a, b):
    """Whether two recordings hold the same bits."""
    assert len(a.segments) == len(b.segments)
    for x, y in zip(a.segments, b.segments, strict=True):
        for name in ("steps", "time", "rows", "first_contact", "contacts"):
            assert getattr(x, name).tobytes() == getattr(y, name).tobytes()
        assert x.inventory.objects == y.inventory.objects and x.inventory.carriers == y.inventory.carriers
        assert x.inventory.items == y.inventory.items and x.inventory.shapes == y.inventory.shapes
        assert (x.inventory.time_step, x.inventory.gravity) == (y.inventory.time_step, y.inventory.gravity)
        assert list(x.inventory.frames) == list(y.inventory.frames)
        for key, frame in x.inventory.frames.items():
            assert frame.carrier == y.inventory.frames[key].carrier
            assert np.array_equal(frame.pose, y.inventory.frames[key].pose)
    assert list(a.user) == list(b.user) and all(np.array_equal(a.user[k], b.user[k], True) for k in a.user)
    assert (a.every, a.complete) == (b.every, b.complete)


@pytest.mark.parametrize("suffix", ["rbdyn", "npz"])
def test_what_is_read_is_what_was_recorded(tmp_path, suffix):
    world = busy_world()
    path = tmp_path / "run.rbdyn"
    with world.record(every=3, contacts=True, user=lambda w: {"x": w.time, "y": np.arange(3)}, path=path) as rec:
        world.step(50)
    if suffix == "npz":
        path = tmp_path / "run.npz"
        rec.save(path)
    found = rbdyn.load_recording(path)
    same(found, rec)
    assert found.complete and found.snapshot.hash == rec.snapshot.hash
    assert len(found.contacts(-1)) == len(world.contacts) > 0


def test_npz_has_plain_names(tmp_path):
    fallen_ball(None, user=lambda world: {"t": world.time}).save(tmp_path / "run.npz")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as file:
        assert file["time"].shape == (21,)
        np.testing.assert_array_equal(file["user/t"], file["time"])
        assert file["ball/ball/position"][-1, 2] < 0.81 and file["ball/ball/orientation"].shape == (21, 4)


def test_csv_has_a_line_a_frame(tmp_path):
    world = busy_world()
    with world.record(every=10, user=lambda w: {"u": [1.5, 2.5]}) as rec:
        world.step(20)
    rec.save(tmp_path / "run.csv")
    head, *lines = (tmp_path / "run.csv").read_text().splitlines()
    names, table = head.split(","), np.array([[float(x) for x in line.split(",")] for line in lines])
    assert table.shape == (3, len(names)) and len(set(names)) == len(names)
    np.testing.assert_array_equal(table[:, names.index("dog.q[2]")], rec.q("dog")[:, 2])
    np.testing.assert_array_equal(table[:, names.index("box.box.z")], rec.positions("box")[:, 2])
    assert table[-1, names.index("time")] == world.time and table[0, names.index("user.u[1]")] == 2.5


def test_every_changed_byte_is_found(tmp_path):
    """Of a recording that was stopped: no byte can change unnoticed."""
    path = tmp_path / "run"
    fallen_ball(path, 3)
    good = path.read_bytes()
    assert len(good) > 2000
    rng = np.random.default_rng(0)
    for k in (*range(0, len(good), 29), *range(200), *range(len(good) - 150, len(good))):
        bad = bytearray(good)
        bad[k] ^= 1 << int(rng.integers(8))
        path.write_bytes(bytes(bad))
        try:
            assert not rbdyn.load_recording(path).complete, k
        except RecordingError as error:
            assert str(path) in str(error)


def test_damaged_frames_are_left_out_if_asked(tmp_path, caplog):
    path = tmp_path / "run"
    rec = fallen_ball(path, user=lambda world: {"t": world.time})
    data = bytearray(path.read_bytes())
    frames = [entry for entry in find_records(bytes(data))[0] if entry["kind"] == b"fram"]
    for k in (4, 5, 11):
        data[int(frames[k]["at"]) + 20] ^= 4
    data[int(frames[14]["at"]) - 10] = 255  # its length
    path.write_bytes(bytes(data))
    with pytest.raises(RecordingError, match=f"damaged: bytes {frames[4]['at'] - 24} to"):
        rbdyn.load_recording(path)
    with caplog.at_level(logging.WARNING, "rbdyn"):
        found = rbdyn.load_recording(path, damaged="skip")
    assert "damaged" in caplog.text
    kept = [k for k in range(21) if k not in (4, 5, 11, 14)]
    assert found.steps.tolist() == kept and not found.complete
    np.testing.assert_array_equal(found.positions("ball"), rec.positions("ball")[kept])
    np.testing.assert_array_equal(found.user["t"], found.time)  # values of lost frames are lost with them


def test_a_file_cut_anywhere_gives_its_whole_frames(tmp_path):
    path = tmp_path / "run"
    rec = fallen_ball(path, 6)
    data = path.read_bytes()
    entries = find_records(data)[0]
    ends = [int(e["at"] + (e["size"] + 7) // 8 * 8) for e in entries if e["kind"] == b"fram"]
    begun = min(int(e["at"] + (e["size"] + 7) // 8 * 8) for e in entries if e["kind"] == b"inve")
    near = [end + d for end in ends for d in (-8, -1, 0, 1)]
    for size in (*range(0, len(data), 11), *range(begun - 40, begun + 40), *near):
        path.write_bytes(data[:size])
        if size < begun:
            with pytest.raises(RecordingError):
                rbdyn.load_recording(path)
            continue
        found = rbdyn.load_recording(path)
        assert len(found) == sum(end <= size for end in ends) and not found.complete
        assert found.time.tolist() == rec.time[: len(found)].tolist()


WRITER = """
    import rbdyn, sys
    from rbdyn import models
    world = rbdyn.World(0.002)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_state(models.QUADRUPED_STANCE.q)
    world.record(every=1, contacts=True, path=sys.argv[1])
    print("go", flush=True)
    world.step(10**9)
"""


def killed(path, delay):
    """A process that records, ended by kill -9."""
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(WRITER), os.fspath(path)], stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"go\n"
        time.sleep(delay)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL


@posix
def test_a_recording_survives_kill_9(tmp_path, seed):
    """All whole frames are read, none is wrong; `python -m benchmarks --only recording` does it 50 times."""
    killed(tmp_path / "run", 0.02 + 0.05 * seed)
    found = rbdyn.load_recording(tmp_path / "run")
    assert not found.complete and len(found) >= 1
    assert found.steps.tolist() == list(range(len(found)))
    world = rbdyn.World(0.002)
    world.add_ground()
    dog = world.add_articulated_system(models_quadruped(), name="dog")
    world.restore(found.snapshot)
    world.step(min(len(found), 400) - 1)
    np.testing.assert_array_equal(found.q("dog")[world.steps], dog.q)


def models_quadruped():
    from rbdyn import models

    return models.quadruped()


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_ends_the_recording_and_not_the_world(tmp_path, caplog):
    with pytest.raises(RecordingError, match="No space left"):
        busy_world().record(path="/dev/full")
    code = f"""
        import resource, signal
        import rbdyn
        from rbdyn.errors import RecordingError
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
        world = rbdyn.World(0.01)
        ball = world.add_sphere(0.1, 1.0)
        rec = world.record(every=1, path={os.fspath(tmp_path / "run")!r})
        world.step(5000)
        assert world.steps == 5000 and not rec.is_recording and "File too large" in rec.error, rec.error
        assert 1000 < len(rec) < 2500
        try:
            rec.stop()
        except RecordingError as error:
            print(error)
        world.step(10)
        rec.save({os.fspath(tmp_path / "run.csv")!r}) if len(rec) < 0 else None
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "takes no more: File too large" in done.stdout
    found = rbdyn.load_recording(tmp_path / "run")
    assert len(found) > 1000 and found.steps.tolist() == list(range(len(found)))


@posix
def test_a_forked_child_leaves_the_file_alone(tmp_path):
    world = busy_world()
    rec = world.record(every=1, path=tmp_path / "run")
    world.step(600)  # more than fits into the buffers: the thread that writes them is not the child's
    child = os.fork()
    if child == 0:
        world.step(5)
        os._exit(0 if not rec.is_recording and "forked" in rec.error else 1)
    assert os.waitpid(child, 0)[1] == 0
    world.step(10)
    rec.stop()
    assert rbdyn.load_recording(tmp_path / "run").steps.tolist() == list(range(611))


def test_a_recording_that_goes_on_keeps_its_own_when_another_takes_its_path(tmp_path):
    """As when a cell of a notebook runs twice."""
    worlds, recorders = [], []
    for speed in (1.0, 2.0):
        world = rbdyn.World(0.01, gravity=(0, 0, 0))
        world.add_sphere(0.1, 1.0, name="b").set_velocity((speed, 0.0, 0.0))
        recorders.append(world.record(every=1, path=tmp_path / "run"))
        worlds.append(world)
        world.step(1000)
    for world in worlds:
        world.step(100)
    for recorder, speed in zip(recorders, (1.0, 2.0), strict=True):
        found = recorder.stop()
        assert found.steps.tolist() == list(range(1101))
        assert set(found.linear_velocities("b")[:, 0].tolist()) == {speed}
    found = rbdyn.load_recording(tmp_path / "run")
    assert found.complete and set(found.linear_velocities("b")[:, 0].tolist()) == {2.0}


def dated(layout):
    return file_head()[:16] + layout.to_bytes(4, sys.byteorder) + file_head()[20:]


def inventory_record(said):
    text = json.dumps(said).encode()
    return record(b"inve", len(text).to_bytes(8, "little") + bytes(8) + text + zlib.compress(b""))


EMPTY = {"objects": [], "carriers": [], "items": [], "shapes": [], "frames": [], "contact shapes": [],
         "time_step": 0.01, "gravity": [0, 0, -9.81], "contacts": False}  # fmt: skip


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "is no recording"),
        (b"\0" * 100, "is no recording"),
        (b"hello, I am text", "is no recording"),
        (b"rbdyn snapshot\0\0" + bytes(99), "is no recording"),
        (b"rbdyn rec", "is cut"),
        (dated(99), "of layout 99, and this version of rbdyn reads layout 1"),
        (file_head()[:20] + b"\1\2\3\4" + bytes(8), "another byte order"),
        (file_head()[:-1] + b"x", "byte 24 and those behind it"),
        (file_head(), "does not say who was recorded"),
        (file_head() + record(b"fram", bytes(16)), "does not say who was recorded"),
        (file_head() + bytes(2**12), "damaged"),
        (file_head() + record(b"inve", b"x" * 100), "cannot be read"),
        (file_head() + inventory_record([]), "cannot be read"),
        (file_head() + inventory_record(EMPTY | {"carriers": [["a", "b"]]}), "cannot be read"),
        (file_head() + inventory_record(EMPTY | {"frames": [["a", "b", 7, [0] * 12]]}), "7 is no number"),
        (file_head() + inventory_record(EMPTY | {"shapes": [["Sphere", {"radius": -1}, {}]]}), "radius"),
        (file_head() + inventory_record(EMPTY | {"shapes": [["os.system", {}, {}]]}), "cannot be read"),
        (file_head() + inventory_record(EMPTY | {"shapes": [["Mesh", {}, {"vertices": ["<f8", [10**9, 3], 0]}]]}),
         "cannot be read"),
        (file_head() + inventory_record(EMPTY | {"objects": [["a", True, 1, 10**12, 0, [], []]]}), "is no number"),
        (file_head() + inventory_record(EMPTY) + record(b"fram", bytes(8)), "a frame has 8 bytes"),
        (file_head() + inventory_record(EMPTY) + record(b"fram", bytes(800)), "a frame has 800 bytes"),
        (file_head() + inventory_record(EMPTY | {"contacts": True}) + record(b"fram", bytes(16) + b"\xff" * 8),
         "cannot have -1 contacts"),
        (file_head() + record(b"done", b"[" * 10**5) + inventory_record(EMPTY), "malformed"),
        (b"PK\x03\x04" + bytes(100), "damaged or malformed"),
    ],
)  # fmt: skip
def test_files_that_are_no_recordings(tmp_path, data, message):
    path = tmp_path / "run"
    path.write_bytes(data)
    with pytest.raises(RecordingError, match=message):
        rbdyn.load_recording(path)


@pytest.mark.parametrize(
    ("path", "error"), [("no/such/file", PathError), (".", PathError), (3, Error), ("a\0b", PathError)]
)
def test_files_that_cannot_be_read(path, error):
    with pytest.raises(error):
        rbdyn.load_recording(path)


def test_archives_that_are_no_recordings(tmp_path):
    path = tmp_path / "run.npz"
    np.savez(path, x=np.zeros(3))
    with pytest.raises(RecordingError, match="no recording: it has x"):
        rbdyn.load_recording(path)
    np.savez(path, x=np.array([{}], dtype=object))
    with pytest.raises(RecordingError):
        rbdyn.load_recording(path)
    fallen_ball(None).save(path)
    good = path.read_bytes()
    for size in (5, 300, len(good) // 2, len(good) - 3):
        path.write_bytes(good[:size])
        with pytest.raises(RecordingError):
            rbdyn.load_recording(path)
    path.write_bytes(good)
    with np.load(path) as file:
        arrays = dict(file)
    for name in arrays:
        if name.startswith("recording/") and len(arrays[name]) and name != "recording/snapshot":
            np.savez(path, **arrays | {name: arrays[name][:-1]})
            with pytest.raises(RecordingError):
                rbdyn.load_recording(path)
    said = json.loads(arrays["recording/said"].tobytes()) | {"format": 9}
    np.savez(path, **arrays | {"recording/said": np.frombuffer(json.dumps(said).encode(), np.uint8)})
    with pytest.raises(RecordingError, match="of format 9"):
        rbdyn.load_recording(path)
    assert zipfile.is_zipfile(path)


def test_random_bytes_do_no_harm(tmp_path, seed):
    """Whatever stands in a file: an error of the library's own, in time."""
    rng = np.random.default_rng(seed)
    path = tmp_path / "run"
    fallen_ball(path, 4, contacts=True)
    good = np.frombuffer(path.read_bytes(), np.uint8)
    for _ in range(60):
        bad = good.copy()
        where = rng.integers(0, len(bad), rng.integers(1, 40))
        bad[where] = rng.integers(0, 256, len(where))
        path.write_bytes(bad.tobytes())
        for damaged in ("refuse", "skip"):
            with contextlib.suppress(RecordingError):
                assert isinstance(rbdyn.load_recording(path, damaged), recording.Recording)


def test_what_looks_like_long_records_ends_in_time(tmp_path):
    """Every word a head of a record that reaches the end of the file."""
    n = 2**18
    words = np.zeros(n, np.uint64)
    words[1::2] = 8 * np.arange(n - 1, 0, -2).astype(np.uint64) - 64
    path = tmp_path / "run"
    path.write_bytes(file_head() + words.tobytes())
    with pytest.raises(RecordingError):
        rbdyn.load_recording(path)
