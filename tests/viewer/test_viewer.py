"""The viewer shows what there is, answers to its own pages alone, and never holds a World up."""

import gc
import http.client
import logging
import socket
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.errors import Error, UnknownNameError, ViewerError
from rbdyn.models import QUADRUPED_STANCE
from rbdyn.viewer.guard import refusal
from rbdyn.viewer.pacing import Pace
from rbdyn.viewer.sources import RecordingSource, StateSource, WorldSource

viser = pytest.importorskip("viser", reason="needs viser")


def scene():
    world = rbdyn.World(2e-3)
    world.add_ground()
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    dog.set_state(QUADRUPED_STANCE.q)
    dog.set_pd_gains(250.0, 10.0)
    dog.set_pd_target(QUADRUPED_STANCE.q)
    world.add_sphere(0.1, 1.0, name="ball").set_pose((1.0, 0.0, 1.0))
    return world


def wait_for(condition, seconds=10.0):
    """Until something is so, of another thread."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def positions(viewer):
    """Item name -> where it is drawn."""
    found = {}
    with viewer._lock:
        drawing = viewer.canvas._drawing
        for group in drawing.groups:
            at = getattr(group.handle, "batched_positions", None)
            for n, k in enumerate(group.items):
                found[drawing.inventory.items[k].name] = np.array(group.handle.position if at is None else at[n])
    return found


# ---- what is drawn ---------------------------------------------------------------------------------------------------


def test_shapes_are_drawn_where_they_are():
    world = scene()
    world.step(50)
    scenery = rbdyn.scenery.Scenery(world, geometry="both")
    with world.view(open_browser=False) as viewer:
        viewer.geometry = "both"
        drawn = positions(viewer)
        assert set(drawn) == {item.name for item in scenery.items} and len(drawn) > 15
        for item, X in zip(scenery.items, scenery.poses(), strict=True):
            np.testing.assert_allclose(drawn[item.name], X[:3, 3], atol=1e-6)
        groups = viewer.canvas._drawing.groups
        assert len(groups) < len(drawn)  # equal shapes are drawn together
        legs = max((g for g in groups if hasattr(g.handle, "batched_scales")), key=lambda g: len(g.items))
        assert len(legs.items) >= 4


def test_steps_hand_their_frames_over():
    """In a step, by the World; between steps the World is looked at."""
    world = scene()
    source = WorldSource(world)
    first = source.next()
    assert first is None or first.time == 0.0
    source.tap.ask()
    world.step(10)
    frame = source.next()
    assert 0.0 < frame.time <= world.time
    world.step(7)
    late = []
    wait_for(lambda: late.append(source.next()) or (late[-1] is not None and late[-1].time == world.time))
    ball = late[-1].inventory.columns("ball", "velocity")
    np.testing.assert_array_equal(late[-1].row[ball][:3], world.find("ball").linear_velocity)
    source.close()
    world.step(10)
    assert source.next() is None


def test_frames_change_no_bit_and_survive_edits():
    plain, seen = scene(), scene()
    source = WorldSource(seen)
    names = []
    for k in range(6):
        source.tap.ask()
        for world in (plain, seen):
            if k == 2:
                world.add_box(0.1, 0.1, 0.1, 1.0, name="new").set_pose((0.0, 2.0, 1.0))
            if k == 4:
                world.remove("ball")
            world.step(10)
        frame = source.next()
        names.append({obj.name for obj in frame.inventory.objects})
        assert np.isfinite(frame.row).all()
    assert names[1] == {"ground_0", "dog", "ball"}
    assert names[3] == names[1] | {"new"} and names[5] == names[3] - {"ball"}
    assert plain.state_hash() == seen.state_hash()


def test_a_world_that_changes_is_drawn_anew(monkeypatch):
    world = scene()
    with world.view(open_browser=False) as viewer:
        monkeypatch.setattr(viewer._server, "get_clients", lambda: {0: None})  # as if somebody looked
        world.add_box(0.1, 0.1, 0.1, 1.0, name="new").set_pose((0.0, 2.0, 1.0))
        wait_for(lambda: "new/0" in positions(viewer))
        world.remove("ball")
        wait_for(lambda: "ball/0" not in positions(viewer))
        world.find("new").set_pose((0.0, 3.0, 1.0))
        wait_for(lambda: positions(viewer)["new/0"][1] == 3.0)


def test_switches_and_marks():
    world = scene()
    world.step(100)
    with rbdyn.view(world.find("dog"), open_browser=False) as viewer:
        assert viewer.follow == "dog"
        assert {group.layer for group in viewer.canvas._drawing.groups} == {"visual", "both"}, "others wait"
        for geometry, expected in (("visual", {"visual", "both"}), ("collision", {"collision", "both"}),
                                   ("both", {"visual", "collision", "both"})):  # fmt: skip
            viewer.geometry = geometry
            assert {g.layer for g in viewer.canvas._drawing.groups if g.handle.visible} == expected
        viewer.see_through = True
        assert all(g.handle.opacity < 0.5 for g in viewer.canvas._drawing.groups if hasattr(g.handle, "opacity"))
        for kind in ("frames", "joint axes", "centres of mass", "contacts"):
            viewer.show(kind)
        marks = viewer.canvas._overlay._handles
        dog = world.find("dog")
        np.testing.assert_allclose(marks["centres of mass"].batched_positions[0], rbdyn.center_of_mass(dog.state),
                                   atol=1e-6)  # fmt: skip
        assert len(marks["frames"].batched_positions) == dog.model.n_bodies
        axes = marks["joint axes"]._handle.points
        hip = [j.name for j in viewer.objects[1].joints if j.nq == 1].index("LF_HFE")
        along = axes[hip, 1] - axes[hip, 0]
        np.testing.assert_allclose(along / np.linalg.norm(along), dog.joint("LF_HFE").axis, atol=1e-5)
        np.testing.assert_allclose(axes[hip].mean(axis=0), dog.frame("after_LF_HFE").position, atol=1e-5)
        arrows = marks["contacts"]._handle.points
        assert len(arrows) == 4
        np.testing.assert_allclose(sorted(a[0, 0] for a in arrows), sorted(c.position[0] for c in world.contacts),
                                   atol=1e-6)  # fmt: skip
        assert ((arrows[:, 1] - arrows[:, 0])[:, 2] > 0.0).all()  # on the feet, not on the ground
        viewer.show("contacts", False)
        assert "contacts" not in marks


def test_joints_of_a_mechanism_have_sliders():
    arm = models.six_axis_arm()
    with rbdyn.view(arm, open_browser=False) as viewer:
        state = viewer._source.state
        assert [joint.name for joint in viewer.joints] == [f"joint_{k}" for k in range(1, 7)]
        viewer.set_joint("joint_2", 0.5)
        frame = viewer._source.next()
        rec = rbdyn.recording_of(state.model, [0.0], state.q[None])
        np.testing.assert_allclose(frame.row, rec.segments[0].rows[0], atol=1e-15)
        assert state.q.tolist() == [0.0, 0.5, 0.0, 0.0, 0.0, 0.0] and viewer._source.next() is None
        with pytest.raises(UnknownNameError, match="no joint named 'elbo'"):
            viewer.set_joint("elbo", 0.0)
        with pytest.raises(Error, match="value"):
            viewer.set_joint(viewer.joints[0].name, np.nan)
        with pytest.raises(Error, match="shows no World"):
            viewer._world()


def four_bar():
    """Three bars of 0.3, 0.8 and 0.6 m on a ground of 0.7 m."""
    m = rbdyn.Mechanism(rbdyn.RigidBody("ground"))
    bars = [rbdyn.RigidBody(f"bar{k}", rbdyn.SpatialInertia(1.0, inertia=0.1 * np.eye(3))) for k in range(3)]
    hinge = rbdyn.Revolute(axis=(0, 1, 0))
    at = [rbdyn.Transform(translation=(x, 0, 0)) for x in (0.3, 0.7, 0.8, -0.6)]
    m.attach(m.root_body, bars[0], rbdyn.Joint("a", hinge))
    m.attach(bars[0], bars[1], rbdyn.Joint("b", hinge), at[0])
    m.attach(m.root_body, bars[2], rbdyn.Joint("c", hinge), at[1])
    m.attach(bars[1], bars[2], rbdyn.Joint("pin", hinge), at[2], at[3])
    return m


def test_loops_stay_closed():
    model = rbdyn.Model(four_bar())
    source = StateSource(rbdyn.scenery.Scenery(model).state)
    q = source.state.q.copy()
    source.move(0, q[0] + 0.2)
    assert np.abs(rbdyn.loop_error(source.state)).max() < 1e-10
    assert np.abs(source.state.q - q).max() > 0.05


def test_a_given_state_is_watched():
    state = rbdyn.State(rbdyn.Model(models.double_pendulum()))
    source = StateSource(state)
    assert source.next() is not None and source.next() is None
    state.set([0.3, 0.4])
    assert source.next() is not None


def test_a_recording_is_played(monkeypatch):
    world = scene()
    with world.record(every=5) as rec:
        world.step(100)
    now = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    source = RecordingSource(rec)
    assert source.next().time == 0.0
    now[0] = 0.055
    assert source.next().time == pytest.approx(0.05)
    source.speed = 2.0
    now[0] = 0.075
    assert source.next().time == pytest.approx(0.09)
    assert source.next() is None
    source.playing = False
    now[0] = 5.0
    assert source.next() is None
    source.step(1)
    assert source.next().time == pytest.approx(0.1)
    source.step(-3)
    assert source.next().time == pytest.approx(0.07)
    source.position = 99.0
    assert source.next().time == rec.time[-1]
    source.playing = True
    now[0] = 5.01
    assert source.next().time == 0.0  # from the beginning


# ---- time ------------------------------------------------------------------------------------------------------------


def test_a_world_waits_for_the_clock_if_asked(monkeypatch):
    """World's time against a clock that naps move on."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(time, "sleep", lambda seconds: now.__setitem__(0, now[0] + seconds))
    world = rbdyn.World(0.01)
    pace = Pace(0.5)
    world.add_observer(lambda world: pace.wait(world.time, lambda: False))
    world.step(100)
    assert now[0] - 100.0 == pytest.approx((1.0 - 0.01) / 0.5, abs=0.01)
    pace.speed = 4.0
    start = now[0]
    world.step(100)
    assert now[0] - start == pytest.approx(0.99 / 4.0, abs=0.01)
    now[0] += 50.0  # somebody was busy: no mad rush to catch up
    start = now[0]
    world.step(100)
    assert now[0] - start == pytest.approx(0.98 / 4.0, abs=0.02)


def test_a_paused_world_goes_on_by_single_steps():
    world = scene()
    with world.view(realtime=True, speed=1000.0, open_browser=False) as viewer:
        world.step(5)
        viewer.paused = True
        thread = threading.Thread(target=world.step, args=(20,), daemon=True)
        thread.start()
        wait_for(lambda: world.steps == 6)  # it waits after the step in which it noticed
        viewer.step(3)
        wait_for(lambda: world.steps == 9)
        assert thread.is_alive()
        viewer.paused = False
        thread.join(10.0)
        assert world.steps == 25
    world.step(5)


def test_a_closed_viewer_shows_nothing_more():
    viewer = scene().view(open_browser=False)
    viewer.close()
    for call in (
        lambda: viewer.show("contacts"),
        lambda: setattr(viewer, "geometry", "both"),
        lambda: setattr(viewer, "see_through", True),
        lambda: setattr(viewer, "follow", None),
        lambda: viewer.set_joint("j", 0.0),
        lambda: viewer.add_button("b", print),
        lambda: viewer.add_slider("s", 0.0, 1.0, 0.5, print),
    ):
        with pytest.raises(rbdyn.ViewerError, match="is closed"):
            call()


def test_closing_lets_a_waiting_world_go():
    world = scene()
    viewer = world.view(realtime=True, open_browser=False)
    viewer.paused = True
    thread = threading.Thread(target=world.step, args=(20,), daemon=True)
    thread.start()
    wait_for(lambda: world.steps == 1)
    viewer.close()
    viewer.close()
    thread.join(10.0)
    assert world.steps == 20 and viewer.closed
    world.step()


def test_run_steps_and_calls_buttons_between_steps():
    world = scene()
    with world.view(speed=1000.0, open_browser=False) as viewer:
        heights = []
        button = viewer.add_button("lift", lambda: world.find("ball").set_pose((1.0, 0.0, 5.0)))
        slider = viewer.add_slider("height", 0.0, 2.0, 1.0, heights.append)
        assert button.label == "lift" and slider.value == 1.0
        viewer._call(lambda: world.find("ball").set_pose((1.0, 0.0, 5.0)))
        assert world.find("ball").position[2] == 1.0  # not yet
        viewer.run(0.1)
        assert world.time == pytest.approx(0.1)
        assert 4.9 < world.find("ball").position[2] < 5.0
        viewer._call(lambda: heights.append(3.0))
        assert viewer.poll() == 1 and viewer.poll() == 0 and heights == [3.0]
        with pytest.raises(ZeroDivisionError):
            viewer._call(lambda: 1 / 0)
            viewer.poll()


def test_controls_of_time_are_shown_while_they_act():
    """Pause, step and speed of a World: with `realtime` always, else while `run` steps it, also if that raises."""
    world, shown = scene(), []
    for realtime in (False, True):
        with world.view(realtime=realtime, speed=1000.0, open_browser=False) as viewer:
            clock = viewer._panel._clock
            assert clock.visible is realtime
            viewer._call(lambda clock=clock: shown.append(clock.visible))
            viewer.run(0.01)
            assert clock.visible is realtime
            viewer._call(lambda: 1 / 0)
            with pytest.raises(ZeroDivisionError):
                viewer.run(0.01)
            assert clock.visible is realtime
    assert shown == [True, True]


def test_calls_that_nobody_polls_are_bounded(caplog):
    world = scene()
    with world.view(open_browser=False) as viewer, caplog.at_level(logging.WARNING, "rbdyn"):
        for _ in range(1001):
            viewer._call(lambda: None)
        assert "call viewer.poll() between steps" in caplog.text
        assert viewer.poll() == 1000


# ---- who may talk to it ----------------------------------------------------------------------------------------------


def ask(viewer, path="/", **headers):
    """Status and body of a request."""
    connection = http.client.HTTPConnection("127.0.0.1", viewer.port, timeout=10)
    connection.putrequest("GET", path, skip_host=True)
    for name, value in ({"Host": f"localhost:{viewer.port}"} | headers).items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    answer = connection.getresponse()
    found = answer.status, answer.read()
    connection.close()
    return found


SOCKET = {"Upgrade": "websocket", "Connection": "Upgrade", "Sec_WebSocket_Version": "13",
          "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ=="}  # fmt: skip


def test_it_answers_to_its_own_pages_alone():
    with rbdyn.view(models.double_pendulum(), open_browser=False) as viewer:
        good = f"localhost:{viewer.port}"
        protocol = {"Sec_WebSocket_Protocol": f"viser-v{viser.__version__}"}
        assert ask(viewer)[0] == 200
        assert ask(viewer, Host=f"127.0.0.1:{viewer.port}", Origin=f"http://127.0.0.1:{viewer.port}")[0] == 200
        for headers in ({"Host": f"evil.example:{viewer.port}"}, {"Origin": "http://evil.example"},
                        {"Origin": "http://localhost:1"}, {"Origin": "null"}, {"Host": "localhost.evil.example"},
                        {"Host": ""}):  # fmt: skip
            assert ask(viewer, **headers)[0] == 403
            status, body = ask(viewer, **SOCKET, **protocol, **headers)
            assert status == 403 and b"answers to" in body
        assert ask(viewer, **SOCKET, **protocol, Origin=f"http://{good}")[0] == 101
        assert ask(viewer, **SOCKET, Origin=f"http://{good}")[0] == 403  # another program's protocol
        assert ask(viewer, "/../../etc/passwd")[0] == 404 and ask(viewer, "/%2e%2e/%2e%2e/x")[0] == 404
        with pytest.raises(OSError), socket.create_connection((own_address(), viewer.port), timeout=2):
            pass  # nobody from outside reaches it


def own_address():
    """An address of this machine that is not 127.0.0.1, if it has one."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))
            return probe.getsockname()[0]
        except OSError:
            return "127.0.0.2"


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({"Host": "localhost:8080"}, False),
        ({"Host": "LOCALHOST:8080", "Origin": "http://localhost:8080"}, False),
        ({"Host": "127.0.0.1"}, False),
        ({"Host": "[::1]:8080", "Origin": "http://[::1]:8080"}, False),
        ({"Host": "localhost:9000", "Origin": "http://localhost:9000"}, False),  # through a tunnel
        ({"Host": "localhost:8080", "Origin": "https://localhost:8080"}, True),
        ({"Host": "localhost:8080", "Origin": "http://127.0.0.1:8080"}, True),
        ({"Host": "127.0.0.1.evil.example"}, True),
        ({"Host": "192.168.1.7:8080"}, True),
        ({"Host": "[::1"}, True),
        ({}, True),
    ],
)
def test_who_is_refused(headers, refused):
    assert (refusal(headers, "p") is not None) == refused


def test_garbage_does_no_harm():
    with rbdyn.view(models.double_pendulum(), open_browser=False) as viewer:
        rng = np.random.default_rng(0)
        for size in (1, 100, 70_000):
            with socket.create_connection(("127.0.0.1", viewer.port), timeout=5) as client:
                client.sendall(rng.bytes(size))
        head = (f"GET / HTTP/1.1\r\nHost: localhost:{viewer.port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
                f"Sec-WebSocket-Protocol: viser-v{viser.__version__}\r\n\r\n").encode()  # fmt: skip
        for payload in (b"\x82\x84\0\0\0\0abcd", b"\x81\x84\0\0\0\0text", b"\xff\xff\xff\xff", rng.bytes(500)):
            with socket.create_connection(("127.0.0.1", viewer.port), timeout=5) as client:
                client.sendall(head)
                assert client.recv(12) == b"HTTP/1.1 101"
                client.sendall(payload)
        assert ask(viewer)[0] == 200
        wait_for(lambda: viewer.clients == 0)


def test_nobody_can_have_it_shared_with_the_outside(caplog):
    with rbdyn.view(models.double_pendulum(), open_browser=False) as viewer, caplog.at_level(logging.WARNING, "rbdyn"):
        assert viewer._server.request_share_url() is None
        assert "this machine alone" in caplog.text


def test_a_port_in_use_is_an_error():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(ViewerError, match=f"port {port} cannot be used: Address already in use"):
            rbdyn.view(models.double_pendulum(), port=port, open_browser=False)
    with rbdyn.view(models.double_pendulum(), port=port, open_browser=False) as viewer:
        assert viewer.address == f"http://localhost:{port}"
        assert repr(viewer) == f"Viewer({viewer.address})" and viewer.address in viewer._repr_html_()
    assert repr(viewer) == "Viewer(closed)"
    with rbdyn.view(models.double_pendulum(), port=port, open_browser=False):
        pass  # it is free again


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"source": 3}, "source must be a World"),
        ({"source": "robot.urdf"}, "source must be a World"),
        ({"port": 0}, "port must be"),
        ({"port": 70000}, "port must be"),
        ({"realtime": 1}, "realtime must be"),
        ({"speed": 0.0}, "speed must be"),
        ({"speed": np.nan}, "speed must be"),
        ({"geometry": "all"}, "geometry must be"),
        ({"open_browser": 1}, "open_browser must be"),
    ],
)
def test_wrong_arguments(options, message):
    given = {"source": scene(), "open_browser": False} | options
    threads = threading.active_count()
    with pytest.raises(Error, match=message):
        rbdyn.view(given.pop("source"), **given)
    assert threading.active_count() == threads


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda v: v.show("forces"), "kind must be"),
        (lambda v: v.show("frames", 1), "visible must be"),
        (lambda v: setattr(v, "geometry", "x"), "geometry must be"),
        (lambda v: setattr(v, "follow", "cat"), "no object named 'cat'"),
        (lambda v: setattr(v, "speed", -1.0), "speed must be"),
        (lambda v: setattr(v, "paused", 1), "paused must be"),
        (lambda v: v.add_button("", print), "label must be"),
        (lambda v: v.add_button("x", 3), "function must be"),
        (lambda v: v.add_slider("x", 1.0, 0.0, 0.5, print), "low must be below high"),
        (lambda v: v.add_slider("x", 0.0, 1.0, 2.0, print), "value must be"),
        (lambda v: v.run(-1.0), "duration must be"),
    ],
)
def test_wrong_uses(use, message, one_viewer):
    with pytest.raises(Error, match=message):
        use(one_viewer)


@pytest.fixture(scope="module")
def one_viewer():
    with scene().view(open_browser=False) as viewer:
        yield viewer


def test_nothing_is_printed(capfd):
    with scene().view(open_browser=False):
        pass
    assert capfd.readouterr() == ("", "")


def test_a_program_that_forgets_to_close_ends_silently():
    code = """
import rbdyn
from rbdyn import models
world = rbdyn.World()
dog = world.add_articulated_system(models.quadruped())
world.view(realtime=True, speed=100.0)
world.step(5)
rbdyn.view(models.double_pendulum())
world.record()
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_nobody_keeps_a_world_alive():
    world = scene()
    world.view(open_browser=False, realtime=True).close()
    world.record().stop()
    recorder, source = world.record(), WorldSource(world)
    gone = weakref.ref(world)
    del world
    gc.collect()
    assert gone() is None
    assert len(recorder) == 1 and source.next() is None and recorder.stop() is not None


def test_a_clicked_body_shows_its_numbers():
    from rbdyn.viewer.panel import numbers

    world = scene()
    world.step(20)
    with world.view(open_browser=False) as viewer:
        frame = viewer._frame
        assert "click a body" in numbers(frame, None)
        k = next(k for k, item in enumerate(frame.inventory.items) if item.name == "ball/0")
        viewer._clicked(frame, k)
        text = numbers(frame, viewer.selected)
        z = world.find("ball").position[2]
        assert f"{z:.4f}" in text and "mass of ball 1 kg" in text
        assert "joints" in numbers(frame, ("dog", "base")) and "35.8 kg" in numbers(frame, ("dog", "base"))
    evil = "<img src=x onerror=alert(1)>[a](javascript:b)"
    world = rbdyn.World()
    world.add_sphere(0.1, 1.0, name=evil)
    frame = None
    source = WorldSource(world)
    wait_for(lambda: source.next() is not None or source.tap.now(0.0) is not None)
    from rbdyn.viewer.sources import frame_from

    frame = frame_from(source.tap.now(0.0), source._inventory)
    text = numbers(frame, (evil, evil))
    assert "<" not in text and "[" not in text and "](" not in text


def test_pictures_for_notebooks():
    world = scene()
    for thing in (world, world.find("dog"), world.record().stop()):
        text = thing._repr_html_()
        assert text.startswith('<img src="data:image/png;base64,iVBOR') and "</pre>" in text
    world.add_sphere(0.1, 1.0, name="<script>")
    assert "<script>" not in world.record().stop()._repr_html_()


def test_without_viser(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(rbdyn.MissingExtraError, match=r'needs viser. Install it with: pip install "rbdyn\[viz\]"'):
        scene().view()
    with pytest.raises(rbdyn.MissingExtraError, match="viz"):
        scene().record().stop().save("x.html")
    assert not Path("x.html").exists()


# ---- where pages are seen from ---------------------------------------------------------------------------------------


def thrown(speed):
    """A ball that flies .49 s without gravity, in the direction of y."""
    world = rbdyn.World(1e-2, gravity=(0.0, 0.0, 0.0))
    ball = world.add_sphere(0.1, 1.0)
    ball.set_velocity((0.0, speed, 0.0))
    recording = world.record(every=1)
    world.step(49)
    return recording.stop()


def first_view(recording, monkeypatch):
    """Position and aim of the camera of its page."""
    seen = []
    monkeypatch.setattr(
        rbdyn.viewer.page, "_serialized", lambda server, *_: seen.append(server.initial_camera) or "", raising=True
    )
    rbdyn.viewer.page.page(recording, "visual", [], False)
    return np.array(seen[0].position), np.array(seen[0].look_at), seen[0].fov


def test_a_page_sees_where_things_go(monkeypatch):
    """Both ends of the way are in the picture, the balls' edges too; what is 10 times as large stays out."""
    eye, aim, fov = first_view(thrown(1.6), monkeypatch)
    assert aim == pytest.approx([0.0, 0.5 * 1.6 * 0.49, 0.0], abs=1e-9)      # the middle of its way
    ahead = (aim - eye) / np.linalg.norm(aim - eye)
    for y in (-0.1, 1.6 * 0.49 + 0.1):
        way = np.array([0.0, y, 0.0]) - eye
        assert np.arccos(way @ ahead / np.linalg.norm(way)) < fov / 2
    still = first_view(thrown(0.0), monkeypatch)
    far = first_view(thrown(1e4), monkeypatch)
    assert np.array_equal(still[0], far[0]) and np.array_equal(still[1], far[1])
    assert np.linalg.norm(eye - aim) > 3.0 * np.linalg.norm(still[0] - still[1])
