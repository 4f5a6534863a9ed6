"""Films, pictures, pages, plots and rerun's files of recordings."""

import re
import subprocess

import numpy as np
import pytest
from recording.scenes import busy_world

import rbdyn
from rbdyn import models
from rbdyn.errors import Error, MissingExtraError, UnknownNameError


@pytest.fixture(scope="module")
def rec():
    world = busy_world()
    with world.record(contacts=True) as recorder:
        world.step(100)
    return recorder


def test_a_picture_is_what_the_world_renders(tmp_path, rec):
    """The frame's picture, from the recording alone, beside that of the World itself."""
    image = pytest.importorskip("PIL.Image", reason="needs pillow")
    world = busy_world()
    world.step(100)
    camera = rbdyn.Camera(width=160, height=120, position=(3.0, -2.0, 1.5), target=(0.5, 0.3, 0.3))
    rec.save(tmp_path / "last.png", camera=camera)
    found = np.asarray(image.open(tmp_path / "last.png")).astype(int)
    assert (np.abs(found - world.render(camera).astype(int)) > 3).mean() < 1e-3
    assert found.std() > 20.0
    rec.save(tmp_path / "first.png", camera=camera, frame=0)
    first = np.asarray(image.open(tmp_path / "first.png")).astype(int)
    assert (np.abs(first - busy_world().render(camera).astype(int)) > 3).mean() < 1e-3
    assert (np.abs(first - found) > 30).mean() > 1e-3  # something has moved


def test_films_have_their_length(tmp_path, rec):
    ffmpeg = pytest.importorskip("imageio_ffmpeg", reason="needs imageio-ffmpeg")
    rec.save(tmp_path / "run.mp4", width=96, height=64, rate=25.0, speed=0.5)
    count, seconds = ffmpeg.count_frames_and_secs(str(tmp_path / "run.mp4"))
    assert count == 11 and seconds == pytest.approx(11 / 25.0, abs=0.05)
    command = [ffmpeg.get_ffmpeg_exe(), "-v", "error", "-i", tmp_path / "run.mp4", "-f", "rawvideo", "-pix_fmt"]
    done = subprocess.run([*command, "rgb24", "-"], capture_output=True, check=True)
    frames = np.frombuffer(done.stdout, np.uint8).astype(int).reshape(11, 64, 96, 3)
    assert frames[0].std() > 10.0 and np.abs(frames[0] - frames[-1]).max() > 50
    image = pytest.importorskip("PIL.Image", reason="needs pillow")
    rec.save(tmp_path / "run.gif", width=96, height=64, follow="box")
    with image.open(tmp_path / "run.gif") as gif:
        assert gif.size == (96, 64) and gif.n_frames == 4


def test_what_is_followed_stays_in_its_place(rec):
    """A camera that follows the box sees its middle at the same pixel."""
    from rbdyn.recording.films import moved

    way = rec.positions("box")
    camera = rbdyn.Camera(position=(3.0, -2.0, 1.5), target=way[0])
    for place in way:
        np.testing.assert_allclose(moved(camera, place - way[0]).project(place), (320.0, 240.0), atol=1e-9)
    assert np.linalg.norm(way[-1] - way[0]) > 0.03


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("x.mp4", {"rate": 0.0}, "rate must be"),
        ("x.mp4", {"speed": -1.0}, "speed must be"),
        ("x.mp4", {"width": 95}, "must be even"),
        ("x.mp4", {"size": 3}, "no option named 'size'"),
        ("x.gif", {"camera": 3}, "camera must be"),
        ("x.png", {"width": 0}, "width must be"),
        ("x.png", {"frame": 99}, "has none"),
        ("x.png", {"follow": "cat"}, "no body named 'cat'"),
        ("x.html", {"rate": np.inf}, "rate must be"),
        ("x.html", {"show": ["forces"]}, "show must be"),
        ("x.html", {"geometry": "x"}, "geometry must be"),
        ("x.html", {"dark": 1}, "dark must be"),
    ],
)
def test_wrong_options(tmp_path, rec, name, options, message):
    with pytest.raises(Error, match=message):
        rec.save(tmp_path / name, **options)
    assert not (tmp_path / name).exists()


def test_folders_that_are_not_there(tmp_path, rec):
    for name in ("x.npz", "x.csv", "x.mp4", "x.gif", "x.png", "x.html"):
        with pytest.raises(Error):
            rec.save(tmp_path / "no" / "such" / name, **({"width": 32, "height": 32} if name[2] in "mgp" else {}))


def test_pages_need_nothing_else(tmp_path, rec):
    pytest.importorskip("viser", reason="needs viser")
    rec.save(tmp_path / "run.html", show=["contacts", "frames"], rate=20.0)
    text = (tmp_path / "run.html").read_text()
    assert text.lstrip().lower().startswith("<!doctype html>") and "__VISER_EMBED_DATA__" in text
    loads = re.findall(r"""<(?:script|link|img|iframe)[^>]*(?:src|href)=["']?(https?:[^"' >]+)""", text)
    assert loads == []
    small = len(text)
    rec.resample(rate=100.0).save(tmp_path / "run.html", rate=100.0)
    assert len((tmp_path / "run.html").read_text()) > small  # five times the frames
    rec[:1].save(tmp_path / "one.html")


def test_plots(rec):
    pyplot = pytest.importorskip("matplotlib.pyplot", reason="needs matplotlib")
    pyplot.switch_backend("agg")
    axes = rec.plot("joint_positions", joints=["LF_HFE", "RF_HFE"], robot="dog")
    assert [line.get_label() for line in axes.lines] == ["LF_HFE", "RF_HFE"]
    np.testing.assert_array_equal(axes.lines[1].get_ydata(), rec.joint_positions("RF_HFE", "dog")[:, 0])
    np.testing.assert_array_equal(axes.lines[0].get_xdata(), rec.time)
    assert axes.get_ylabel() == "position [rad or m]"
    axes = rec.plot("energies", axes=axes)
    total = axes.lines[-1].get_ydata()
    np.testing.assert_allclose(total - total[0], rec.kinetic_energy() + rec.potential_energy()
                               - rec.kinetic_energy()[0] - rec.potential_energy()[0], atol=1e-9)  # fmt: skip
    axes = rec.plot("contact_forces", bodies=["dog", "LF_FOOT"])
    np.testing.assert_allclose(axes.lines[0].get_ydata(), np.linalg.norm(rec.contact_forces("dog"), axis=1))
    assert len(rec.plot("positions", bodies="box").lines) == 3
    assert len(rec.plot("joint_velocities", robot="arm").lines) == 6
    assert len(rec.plot("contact_forces").lines) == 2
    pyplot.close("all")
    for what, options, error in (
        ("speeds", {}, Error),
        ("energies", {"joints": ["x"]}, Error),
        ("joint_positions", {"bodies": ["x"]}, Error),
        ("joint_positions", {"joints": ["x"], "robot": "dog"}, UnknownNameError),
        ("positions", {"bodies": 3}, Error),
        ("energies", {"axes": 3}, Error),
    ):
        with pytest.raises(error):
            rec.plot(what, **options)
    assert pyplot.get_fignums() == []


def test_a_file_for_rerun(tmp_path, rec):
    pytest.importorskip("rerun", reason="needs rerun-sdk")
    rec.save(tmp_path / "run.rrd")
    assert (tmp_path / "run.rrd").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("module", "name", "extra"),
    [("imageio_ffmpeg", "x.mp4", "video"), ("PIL", "x.gif", "video"), ("rerun", "x.rrd", "rerun")],
)
def test_missing_extras(tmp_path, monkeypatch, rec, module, name, extra):
    import sys

    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match=rf"rbdyn\[{extra}\]"):
        rec.save(tmp_path / name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(MissingExtraError, match=r"rbdyn\[plot\]"):
        rec.plot("energies")


def test_a_robot_by_name_is_its_base(tmp_path):
    world = rbdyn.World(0.01)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    ball = world.add_sphere(0.1, 1.0, name="ball")
    ball.set_pose((1.0, 0.0, 1.0))
    rec = world.record(every=1)
    world.step(5)
    found = rec.stop()
    np.testing.assert_array_equal(found.positions("dog")[-1], dog.body_pose(dog.body_names[0])[:3, 3])
    pytest.importorskip("matplotlib")
    lines = found.plot("positions").get_lines()
    assert {line.get_label() for line in lines} >= {"dog x", "dog y", "dog z", "ball x", "ball y", "ball z"}
    found.save(tmp_path / "f.png", follow="dog")
