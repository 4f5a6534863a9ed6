"""Poses and cameras that are no numbers, or far too large: pictures come of them, and nothing else happens."""

import numpy as np

from rbdyn.collision import Box, Capsule, Cone, ConvexHull, Cylinder, Ellipsoid, HalfSpace, HeightMap, Mesh, Sphere
from rbdyn.rendering.renderer import Renderer
from rbdyn.rendering.style import Style
from rbdyn.rendering.things import thing_of

ODD = (np.nan, np.inf, -np.inf, 1e300, -1e300, 1e-300, 0.0, 1e18, 1e9)


def things(rng):
    shapes = [Sphere(0.3), Box((1, 2, 0.1)), Capsule(0.2, 0.4), Cylinder(0.3, 0.5), Cone(0.3, 0.4), HalfSpace()]
    shapes += [Ellipsoid((0.1, 0.3, 0.5)), HeightMap(rng.normal(size=(9, 9)), (3, 3))]
    shapes += [ConvexHull(rng.normal(size=(30, 3))), Mesh(rng.normal(size=(20, 3)), rng.integers(0, 20, size=(40, 3)))]
    return [thing_of(shape, (0.5, 0.5, 0.5, 1.0)) for shape in shapes for _ in range(2)]


def turn(rng, *shape):
    return np.linalg.qr(rng.normal(size=(*shape, 3, 3)))[0]


def test_whatever_the_numbers_a_picture_is_drawn(seed):
    rng = np.random.default_rng(seed)
    renderer = Renderer(things(rng))
    n, seen = 20, 0
    for k in range(40):
        poses, camera = np.tile(np.eye(4), (n, 1, 1)), np.eye(4)
        poses[:, :3, :3], camera[:3, :3] = turn(rng, n), turn(rng)
        poses[:, :3, 3] = rng.normal(size=(n, 3)) * 10 ** rng.uniform(-2, 3)
        if k % 4:
            for array in (poses, camera):
                for _ in range(rng.integers(0, 4)):
                    array[tuple(rng.integers(0, size) for size in array.shape)] = rng.choice(ODD)
        samples, f = 1 + k % 4, 10 ** rng.uniform(-3, 6)
        width, height = (int(x) for x in rng.integers(1, 90, size=2))
        size = (width * samples, height * samples)
        lens = (
            f,
            1.3 * f,
            *(rng.normal(size=2) * 50),
            *size,
            10 ** rng.uniform(-6, 1),
            rng.choice([np.inf, 20.0, 1e9]),
        )
        style = Style(shadows=bool(k % 2), shadow_pixels=50, squares=float(rng.choice([0, 1, 1e-9, 1e9])))
        rgb, depth = np.full((height, width, 3), 7, np.uint8), np.full(size[::-1], -1.0)
        index = np.full(size[::-1], -9, np.intc)
        light = style.light_on(rng.normal(size=3), float(rng.choice([1.0, 1e-9, 1e9, np.inf])))
        renderer.render(
            poses, camera, lens, light, rgb=rgb, depth=depth, index=index, threads=1 + k % 2, samples=samples
        )
        assert (index >= -1).all() and (index < n).all()
        assert np.array_equal(np.isinf(depth), index < 0) and (depth > 0.0).all()
        seen += (index >= 0).any()
    assert seen > 10
