"""Pictures in colour: light, shadow, smoothness, what is hidden, and files."""

import gc
import weakref
import zlib

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.collision import HeightMap
from rbdyn.rendering.png import png_bytes, write_png
from rbdyn.scenery import Camera, Scenery, Style, look, render

PLAIN = Style.plain(squares=0.0)


def above(width=61, height=61, **values):
    return Camera(width=width, height=height, position=(0, 0, 5), target=(0, 0, 0), up=(0, 1, 0), **values)


def test_what_faces_the_lamp_is_brighter():
    world = rbdyn.World()
    ball = world.add_sphere(1.0, 1.0)
    for light in ((1, 0, 0), (0, -1, 0), (1, 1, 1)):
        rgb = look(world, above(), style=Style.plain(light=light)).rgb.astype(float).sum(axis=2)
        points = look(world, above()).points
        toward = (points @ np.array(light)) / np.linalg.norm(light)
        on = look(world, above()).segmentation == 0
        assert np.corrcoef(rgb[on & (toward > 0.1)], toward[on & (toward > 0.1)])[0, 1] > 0.9
        assert rgb[on & (toward > 0.5)].mean() > 1.3 * rgb[on & (toward < -0.2)].mean()
    assert ball.name == world.objects[0].name


def test_shadows_fall_where_the_lamp_is_hidden():
    """A plate over the ground, the lamp aslant: what rays to the lamp meet is dark, all else as without shadows."""
    world = rbdyn.World()
    world.add_ground()
    world.add_box(1.0, 0.6, 0.1, 1.0, name="plate").set_pose(position=(0.3, -0.2, 0.8))
    light = np.array((0.4, -0.3, 1.0))
    style = {"light": tuple(light), "squares": 0.0, "antialias": 1}
    dark, bright = (look(world, above(120, 120), style=Style(shadows=s, **style)) for s in (True, False))
    ground = bright.segmentation == 0
    points = bright.points[ground]
    shaded = world.ray_test_batch(points + 1e-6 * light, light).hit
    fell = dark.rgb[ground].astype(int).sum(axis=1) < 0.8 * bright.rgb[ground].astype(int).sum(axis=1)
    assert 100 < shaded.sum() < len(shaded) and (fell != shaded).mean() < 0.02
    assert np.array_equal(dark.rgb[ground][~fell & ~shaded][:50], bright.rgb[ground][~fell & ~shaded][:50])


def test_smooth_terrain_has_many_shades_and_flat_one_each():
    world = rbdyn.World()
    x, y = np.meshgrid(np.linspace(-1, 1, 9), np.linspace(-1, 1, 9))
    world.add_height_map(HeightMap(0.5 * np.cos(2 * x) * np.cos(2 * y), (2, 2)))
    shades = [
        len(np.unique(look(world, above(), style=Style.plain(smooth=smooth)).rgb.reshape(-1, 3), axis=0))
        for smooth in (True, False)
    ]
    assert shades[0] > shades[1] > 20


def test_a_pixel_is_the_mean_of_its_samples():
    """Twice as many pixels, then the mean of four, is what antialias=2 says, but for what is smooth within a pixel."""
    world = rbdyn.World()
    rng = np.random.default_rng(0)
    for k in range(6):
        world.add_box(0.5, 0.7, 0.2, 1.0, name=f"box{k}").set_pose(rng.uniform(-1, 1, size=3))
    soft = look(world, above(80, 60), style=Style.plain(antialias=2)).rgb.astype(int)
    large = look(world, above(160, 120), style=Style.plain()).rgb.astype(int)
    mean = large.reshape(60, 2, 80, 2, 3).mean(axis=(1, 3))
    assert np.abs(soft - mean).max() <= 2
    assert np.abs(soft - look(world, above(80, 60), style=Style.plain()).rgb).max() > 20


def test_squares_of_the_ground_are_a_metre_wide():
    world = rbdyn.World()
    world.add_ground()
    camera = above(400, 400)
    rgb = look(world, camera, style=Style.plain()).rgb[..., 0].astype(int)
    for x, y in ((0.5, 0.5), (1.5, 0.5), (-0.5, 0.5), (0.5, -0.5), (1.5, 1.5), (-0.5, -1.5)):
        u, v = camera.project((x, y, 0)).astype(int)
        even = (np.floor(x) + np.floor(y)) % 2 == 0
        assert (rgb[v, u] > rgb.mean()) == even
    assert len(np.unique(look(world, camera, style=PLAIN).rgb[150:250, 150:250])) <= 12


def test_what_is_hidden_is_not_seen():
    world = rbdyn.World()
    world.add_ground(name="ground")
    robot = world.add_articulated_system(models.quadruped(), name="dog")
    robot.set_base_pose(position=(0, 0, 0.6))
    camera = Camera.looking_at(world, width=80, height=60)
    for hide in (robot, "dog", [robot], ("ground", robot)):
        view = look(world, camera, hide=hide)
        assert "dog" not in {view.items[k].object for k in np.unique(view.segmentation) if k >= 0}
    view = look(world, camera, hide=robot.body("base"))
    links = {view.items[k].link for k in np.unique(view.segmentation) if k >= 0}
    assert "base" not in links and "LF_SHANK" in links


def test_views_follow_edits_and_are_of_one_moment():
    world = rbdyn.World()
    ball = world.add_sphere(0.5, 1.0)
    camera = above()
    view = look(world, camera)
    ball.set_pose(position=(9, 9, 9))
    assert (view.segmentation == 0).any() and np.isfinite(view.depth).any()  # it was there when we looked
    assert not np.isfinite(world.render(camera, "depth")).any()
    ball.set_pose(position=(0, 0, 0))
    assert world.render(camera, "depth").min() == pytest.approx(4.5, abs=1e-3)
    ball.set_geometry(0, shape=rbdyn.collision.Sphere(1.0))
    assert world.render(camera, "depth").min() == pytest.approx(4.0, abs=1e-3)
    world.add_box(2.0, 2.0, 2.2, 1.0)
    assert world.render(camera, "depth").min() == pytest.approx(3.9, abs=1e-9)
    world.remove(ball)
    assert set(np.unique(world.render(camera, "segmentation"))) == {-1, 0}


def test_mechanisms_models_and_states_can_be_drawn():
    mechanism = models.double_pendulum()
    model = rbdyn.Model(mechanism)
    state = rbdyn.State(model)
    camera = Camera.looking_at(mechanism, width=60, height=60)
    still = render(mechanism, camera)
    assert np.array_equal(render(model, camera), still) and np.array_equal(render(state, camera), still)
    state.set([1.0, 0.5])
    assert not np.array_equal(render(model, camera, state=state), still)
    assert render(mechanism, what="bodies").max() < len(model.body_names)


def test_observers_may_look_and_nobody_while_a_world_is_half_way():
    world = rbdyn.World()
    ball = world.add_sphere(0.5, 1.0)
    depths = []
    world.add_observer(lambda w: depths.append(w.render(above(), "depth").min() + ball.position[2]))
    world.step(2)
    assert len(depths) == 2 and depths[0] == pytest.approx(4.5, abs=1e-3)


def decoded(data):
    """An own reader of what `png_bytes` writes."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, parts = 8, {}
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        kind, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + size]
        assert zlib.crc32(kind + body) == int.from_bytes(data[at + 8 + size : at + 12 + size], "big")
        parts[kind], at = body, at + 12 + size
    width, height = (int.from_bytes(parts[b"IHDR"][k : k + 4], "big") for k in (0, 4))
    channels = {0: 1, 2: 3, 6: 4}[parts[b"IHDR"][9]]
    rows = np.frombuffer(zlib.decompress(parts[b"IDAT"]), np.uint8).reshape(height, 1 + width * channels)
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, channels)


@pytest.mark.parametrize("shape", [(5, 7, 3), (5, 7, 4), (5, 7), (1, 1, 3)])
def test_png_files(tmp_path, shape):
    picture = np.random.default_rng(0).integers(0, 256, size=shape).astype(np.uint8)
    write_png(tmp_path / "a.png", picture)
    assert np.array_equal(decoded((tmp_path / "a.png").read_bytes()).reshape(shape), picture)
    image = pytest.importorskip("PIL.Image")
    with image.open(tmp_path / "a.png") as opened:
        assert np.array_equal(np.asarray(opened), picture)


@pytest.mark.parametrize("picture", [np.zeros((3, 3, 2), np.uint8), np.zeros((0, 3, 3), np.uint8), np.zeros((3, 3)), 3])
def test_what_is_no_picture(picture):
    with pytest.raises(rbdyn.Error, match="picture must"):
        png_bytes(picture)


def test_views_save_themselves(tmp_path):
    world = rbdyn.World()
    world.add_sphere(0.5, 1.0)
    view = look(world, above(20, 10))
    view.save_png(tmp_path / "view.png")
    assert np.array_equal(decoded((tmp_path / "view.png").read_bytes()), view.rgb)
    assert np.array_equal(decoded(view._repr_png_()), view.rgb)


def test_pictures_keep_no_world_alive():
    world = rbdyn.World()
    world.add_sphere(0.5, 1.0)
    world.render(above(8, 8))
    view = look(world, above(8, 8))
    gone = weakref.ref(world)
    del world
    gc.collect()
    assert gone() is None and view.depth.shape == (8, 8)
    kept = Scenery(rbdyn.World())
    look(kept, above(8, 8))
    assert len(kept.poses()) == 0  # a Scenery of one's own keeps it
    gone = weakref.ref(kept)
    del kept
    gc.collect()
    assert gone() is None
