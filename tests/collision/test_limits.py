"""Large hulls, many exclusions, collapsed scenes, extreme sizes: bounded, or refused with what to do."""

import _thread
import re
import signal
from functools import partial

import numpy as np
import pytest
from collision_scenes import pose, rotation
from scipy.spatial import ConvexHull as Qhull

import rbdyn
from rbdyn.collision import (
    Box,
    Capsule,
    CollisionBackend,
    Cone,
    ConvexHull,
    Cylinder,
    Ellipsoid,
    FCLBackend,
    HalfSpace,
    HeightMap,
    Mesh,
    NativeBackend,
    Sphere,
    distance,
    shape_cast,
)
from rbdyn.collision.shapes.climbing import edges_of
from rbdyn.collision.shapes.hull import flat_faces, hull_of
from rbdyn.errors import CollisionError, Error


def slow_faces(vertices, triangles):
    """Flat faces by asking every vertex for every triangle: the definition."""
    a, b, c = (vertices[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    areas = np.linalg.norm(normals, axis=1)
    size = np.ptp(vertices, axis=0).max()
    taken, faces = areas <= 1e-12 * size * size, []
    for k in np.argsort(-areas, kind="stable"):
        if not taken[k]:
            n = normals[k] / areas[k]
            flush = np.abs((vertices - a[k]) @ n) < 1e-6 * size
            taken |= flush[triangles].all(axis=1)
            faces.append((n, frozenset(np.flatnonzero(flush).tolist())))
    return faces


def prism(sides):
    phi = 2.0 * np.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(phi), np.sin(phi)], axis=1)
    return np.vstack([np.insert(ring, 2, z, axis=1) for z in (-0.5, 0.5)])


CLOUDS = {
    "random": lambda rng: rng.normal(size=(60, 3)),
    "prism": lambda rng: prism(30) @ rotation(rng).T,
    "block of many points": lambda rng: rng.integers(0, 4, size=(80, 3)) @ rotation(rng).T * 1.0,
    "sphere": lambda rng: (lambda x: x / np.linalg.norm(x, axis=1, keepdims=True))(rng.normal(size=(400, 3))),
}


@pytest.mark.parametrize("cloud", CLOUDS)
def test_faces_grown_along_edges_are_those_of_the_definition(cloud, seed):
    """Normals and corner sets agree; corners run counter-clockwise around each face."""
    hull = hull_of(CLOUDS[cloud](np.random.default_rng(seed)))
    expected = slow_faces(hull.vertices, hull.triangles)
    assert len(hull.normals) == len(expected) >= 6
    for k, (normal, corners) in enumerate(expected):
        ring = hull.corner[hull.start[k] : hull.start[k + 1]]
        np.testing.assert_allclose(hull.normals[k], normal, atol=1e-12)
        assert set(ring.tolist()) == corners and len(ring) == len(corners)
        x = hull.vertices[ring]
        turns = np.cross(np.roll(x, -1, axis=0) - x, np.roll(x, -2, axis=0) - np.roll(x, -1, axis=0)) @ normal
        assert turns.min() > -1e-9 and turns.max() > 0.0


def test_faces_of_a_large_hull_cost_little_in_python():
    """30,000 corners: the work grows with the corners, not with their square; every triangle is a face."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(30_000, 3))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    hull = Qhull(x)
    triangles = hull.simplices
    a, b, c = (x[triangles[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0.0
    triangles[inward] = triangles[inward][:, ::-1]
    normals, start, corner = flat_faces(x, triangles.astype(np.int64), edges_of(triangles, len(x)))
    assert 0.95 * len(triangles) < len(normals) <= len(triangles) == 59_996
    assert start[-1] == len(corner) and start[0] == 0
    assert np.einsum("ij,ij->i", normals, x[corner[start[:-1]]]).min() > 0.99


@pytest.mark.parametrize("points", [
    [[0, 0, 0], [1, 0, 0], [0, 2e-13, 0], [0, 0, 2e-13], [1, 2e-13, 2e-13]],
    [[0, 0, 0], [1, 1, 1], [2, 2, 2], [3, 3, 3]],
    np.outer(np.linspace(0, 1, 50), [1.0, 2.0, 3.0]) + 1e-13 * np.random.default_rng(0).normal(size=(50, 3)),
])  # fmt: skip
def test_needles_are_refused_by_name(points):
    with pytest.raises(CollisionError, match="one plane|too thin"):
        NativeBackend().add_shape(ConvexHull(points), 0)


def test_excluded_pairs_come_and_go_in_any_order():
    """Deleting keeps every other pair of a cluster findable: a set in Python says the same after each change."""
    rng = np.random.default_rng(1)
    backend, n = NativeBackend(), 14
    for body in range(n):
        backend.add_shape(Sphere(0.1), body)
    poses = np.stack([np.eye(4)] * n)
    everyone = {(i, j) for i in range(n) for j in range(i + 1, n)}
    out = set()
    for _ in range(60):
        for _ in range(rng.integers(1, 12)):
            i, j = sorted(rng.choice(n, 2, replace=False).tolist())
            (backend.allow if (i, j) in out else backend.exclude)(i, j)
            out ^= {(i, j)}
        found = backend.query(poses)
        assert {(int(c["body_a"]), int(c["body_b"])) for c in found} == everyone - out
    assert len(out) > 20


def test_a_robot_of_many_links_is_removed_link_by_link():
    """A million exclusions taken back one by one end where they began."""
    backend, n = NativeBackend(), 700
    for i in range(n):
        for j in range(i):
            backend.exclude(i, j)
    for i in range(n):
        for j in range(i):
            backend.allow(j, i)
    for body in range(3):
        backend.add_shape(Sphere(0.1), body)
    assert len(backend.query(np.stack([np.eye(4)] * 3))) == 3


def test_a_scene_of_overlapping_shapes_is_refused_with_what_to_do():
    """2,000 spheres in one place are two million contacts; the limit holds, can be raised, and leaves no contacts."""
    world = rbdyn.World()
    for _ in range(600):
        world.add_sphere(0.1, 1.0)
    with pytest.raises(CollisionError, match=r"more than 131072 contacts.*exclude.*max_contacts"):
        world.step()
    assert len(world.contacts) == 0
    backend = NativeBackend()
    for body in range(8):
        backend.add_shape(Sphere(0.1), body)
    poses = np.stack([np.eye(4)] * 8)
    backend.max_contacts = 27
    with pytest.raises(CollisionError, match="more than 27 contacts"):
        backend.query(poses)
    backend.max_contacts = 28
    assert len(backend.query(poses)) == 28
    for bad in (0, -1, True, 1.5, 2**40, "many"):
        with pytest.raises(CollisionError, match="max_contacts must be"):
            backend.max_contacts = bad


def test_the_limit_holds_for_backends_in_python_too():
    class Endless(CollisionBackend):
        def detect(self, scene):
            while True:
                scene.add_contact(0, 1, (0, 0, 0), (0, 0, 1), 0.1)

    backend = Endless()
    backend.max_contacts = 1000
    for body in range(2):
        backend.add_shape(Sphere(0.1), body)
    with pytest.raises(CollisionError, match="more than 1000 contacts"):
        backend.query(np.stack([np.eye(4)] * 2))


@pytest.fixture
def answers_ctrl_c():
    """Python's own handler of SIGINT: a shell that runs the tests in the background has the signal ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("make", [lambda: Sphere(0.1), lambda: Cylinder(0.1, 0.2)])
@pytest.mark.usefixtures("answers_ctrl_c")
def test_ctrl_c_is_heard_within_one_detection(make):
    """A signal that waits when detection begins ends it: what comes after it in one run of C code does not happen."""
    rng = np.random.default_rng(2)
    done = []

    class Interrupted(NativeBackend):
        def detect(self, scene):
            steps = [_thread.interrupt_main, partial(super().detect, scene), partial(done.append, "detected")]
            list(map(partial.__call__, map(partial, steps)))  # no bytecode in between, which would answer the signal

    backend = Interrupted()
    for body in range(60):
        backend.add_shape(make(), body)
    poses = np.array([pose(*rng.uniform(0, 0.05, 3), rotation(rng)) for _ in range(60)])
    with pytest.raises(KeyboardInterrupt):
        backend.query(poses)
    assert done == []


@pytest.mark.parametrize("make", [
    lambda: Sphere(1e100), lambda: Box((1, 1, 1e60)), lambda: Capsule(1e-60, 1), lambda: Cylinder(1, 1e41),
    lambda: ConvexHull(1e41 * np.eye(4, 3)),
])  # fmt: skip
def test_sizes_beyond_numbers_are_refused(make):
    with pytest.raises(CollisionError, match="1e\\+40"):
        make()


@pytest.mark.parametrize(("make", "kind"), [
    (lambda x: Box((1.0, 1.0, x)), "box"), (lambda x: Cylinder(1.0, x), "cylinder"), (lambda x: Cone(1.0, x), "cone"),
    (lambda x: Ellipsoid((x, 1.0, 1.0)), "ellipsoid"),
])  # fmt: skip
def test_ratios_of_sizes_that_rays_would_miss_are_refused(make, kind):
    """The shape and what came are named; rays from all around into what is just allowed meet it on its surface."""
    for beyond in (1e-9, 0.999e-6, 1.001e6, 1e9):
        with pytest.raises(CollisionError, match=f"sizes of a {kind} .* 1e\\+06.*{re.escape(f'{beyond:g}')}"):
            make(beyond)
    rng = np.random.default_rng(6)
    for size in (1e-6, 1e6):
        shape, world = make(size), rbdyn.World()
        world.add_single_body([rbdyn.Geometry(shape)], 0.0, np.zeros((3, 3)), "static")
        low, high = shape.bounding_box()
        d = rng.normal(size=(400, 3))
        d /= np.linalg.norm(d, axis=1)[:, None]
        inside = shape.centroid + 0.1 * rng.uniform(low, high, (400, 3))
        begin = inside - 3.0 * max(size, 1.0) * d
        t = world.ray_test_batch(begin, d).distance
        assert np.isfinite(t).all()
        for off, within in ((-1e-9, False), (1e-9, True)):  # a share of the size before and behind the surface
            x = begin + (t + off * max(size, 1.0))[:, None] * d
            assert (shape.contains(x) == within).mean() > 0.95


def stretched_cube(sizes, rotation):
    return ConvexHull((np.mgrid[-1:2:2, -1:2:2, -1:2:2].reshape(3, -1).T * 0.5 * np.array(sizes)) @ rotation.T)


@pytest.mark.parametrize("plate", [False, True])
def test_hulls_that_rays_would_miss_are_refused(plate, seed):
    """A needle or a plate, askew, of 1e7: named with its extents.  One of 6e5 is met by every ray at its place."""
    rng = np.random.default_rng(seed)
    R = rotation(rng)
    sizes = (1.0, 1.0, 1e-7) if plate else (1e-7, 1e-7, 1.0)
    with pytest.raises(CollisionError, match=r"sizes of a convex_hull must be within a ratio of 1e\+06, got .*e-07"):
        NativeBackend().add_shape(stretched_cube(sizes, R), 0)
    sizes = np.array((1.0, 1.0, 1.6e-6) if plate else (1.6e-6, 1.6e-6, 1.0))
    world = rbdyn.World()
    world.add_single_body([rbdyn.Geometry(stretched_cube(sizes, R))], 0.0, np.zeros((3, 3)), "static")
    for _ in range(100):
        side = rng.uniform(-0.45, 0.45, 3) * sizes
        side[0] = 0.5 * sizes[0]
        begin = side + [sizes[0], 0.0, 0.0]
        hit = world.ray_test(R @ begin, -R[:, 0], length=2.0 * sizes[0])
        tilt = 1.2e-16 / sizes.min()                             # of a narrow face whose corners are rounded [rad]
        assert hit is not None and hit.distance == pytest.approx(sizes[0], abs=0.5 * tilt)


@pytest.mark.parametrize("ratio", [1e3, 1e5, 1e6])
@pytest.mark.parametrize("large", [
    lambda s: Box((s, s, s)), lambda s: Cylinder(s / 2, s), lambda s: Sphere(s / 2), lambda s: Capsule(s / 4, s / 2),
    lambda s: stretched_cube((s, s, s), np.eye(3)), lambda s: Mesh(*Box((s, s, s)).triangles()),
    lambda s: HeightMap(np.full((5, 5), s / 2), size=(s, s)),
], ids=["box", "cylinder", "sphere", "capsule", "hull", "mesh", "map"])  # fmt: skip
def test_a_small_sphere_on_a_large_shape(large, ratio, seed):
    """Distance, cast, contact and ray of a ball above the top of something a million times as large, and askew."""
    rng = np.random.default_rng(seed)
    for size in (1.0, ratio):
        s, R = size / ratio, rotation(rng)
        shape, ball, place = large(size), Sphere(s / 2), pose(0, 0, 0, R)
        above = pose(*(R[:, 2] * (size / 2 + 0.8 * s)))
        within = 1e-15 * size                                    # rounding of coordinates, twice
        assert distance(shape, place, ball, above).distance == pytest.approx(0.3 * s, abs=within)
        hit = shape_cast(ball, above, -0.6 * s * R[:, 2], shape, place)
        assert hit.fraction * 0.6 * s == pytest.approx(0.3 * s, abs=within)
        backend = NativeBackend()
        backend.add_shape(shape, 0)
        backend.add_shape(ball, 1)
        found = backend.query([place, pose(*(R[:, 2] * (size / 2 + 0.4 * s)))])
        assert found["depth"].max() == pytest.approx(0.1 * s, abs=within)


@pytest.mark.parametrize("far", [1e4, 1e8, 1e12])
def test_far_from_the_origin_answers_are_those_of_the_poses(far):
    """Poses have 16 digits; what they say of a cube and a ball is exact."""
    at = far * np.array([0.6, -0.7, 0.4])
    place, above = pose(*at), pose(*(at + [0.0, 0.0, 1.1]))
    gap = above[2, 3] - place[2, 3] - 1.0
    assert distance(Box((1, 1, 1)), place, Sphere(0.5), above).distance == pytest.approx(gap, abs=1e-15)
    hit = shape_cast(Sphere(0.5), above, (0, 0, -0.5), Box((1, 1, 1)), place)
    assert hit.fraction * 0.5 == pytest.approx(gap, abs=1e-15)


@pytest.mark.parametrize("scale", [1e-39, 1e-20, 1e20, 9e39])
def test_contacts_of_extreme_sizes_are_numbers(scale):
    """Every pair at the ends of what is allowed gives finite contacts with unit normals, in the middle of the scale."""
    rng = np.random.default_rng(3)
    corners = scale * np.mgrid[-1:2:2, -1:2:2, -1:2:2].reshape(3, -1).T
    shapes = [Sphere(scale), Capsule(scale, scale), Box((scale, 1.1 * scale, 0.9 * scale)), Cylinder(scale, scale),
              ConvexHull(0.9 * corners), HalfSpace()]  # fmt: skip
    for a in shapes:
        for b in shapes[:-1]:
            backend = NativeBackend()
            backend.add_shape(a, 0)
            backend.add_shape(b, 1)
            x = 0.1 * scale * rng.normal(size=3)
            found = backend.query([pose(0, 0, 0, rotation(rng)), pose(*x, rotation(rng))])
            for field in ("position", "normal", "depth"):
                assert np.isfinite(found[field]).all()
            np.testing.assert_allclose(np.linalg.norm(found["normal"], axis=1), 1.0, atol=1e-9)
            if 1e-21 < scale < 1e21:
                assert len(found) > 0 and 0.1 * scale < found["depth"].max() < 4.0 * scale


@pytest.mark.parametrize("thin", [1e-6, 3e-6, 8e-6])
def test_fcl_is_not_asked_about_extreme_shapes(thin):
    """Very thin boxes, for which python-fcl may never return, get the native answer."""
    rng = np.random.default_rng(4)
    for _ in range(10):
        X = [pose(0, 0, 0, rotation(rng)), pose(*(0.2 * rng.normal(size=3)), rotation(rng))]
        answers = []
        for cls in (FCLBackend, NativeBackend):
            backend = cls()
            backend.add_shape(Box((1.0, 1.0, thin)), 0)
            backend.add_shape(Cylinder(0.3, 0.5), 1)
            answers.append(backend.query(X))
        ours, native = answers
        assert np.array_equal(ours["feature"], native["feature"])
        for field in ("position", "normal", "depth"):
            np.testing.assert_allclose(ours[field], native[field], atol=1e-12)


@pytest.mark.parametrize("call", [
    lambda b: b.add_shape(np.zeros((1000, 1000)), 0), lambda b: b.add_shape(Sphere(1), np.zeros((1000, 1000))),
    lambda b: b.add_shape(Sphere(1), 0, pose=10.0 * np.ones((4, 4))), lambda b: b.add_shape(Sphere(1), 0, "x" * 10**6),
    lambda b: b.add_shape(Sphere(1), 0, group="x" * 10**6), lambda b: b.query(10**5000), lambda b: Sphere("x" * 10**6),
    lambda b: Sphere(np.zeros(10**5)), lambda b: Box("x" * 10**5), lambda b: setattr(b, "margin", "x" * 10**5),
    lambda b: setattr(b, "filter_rule", "x" * 10**5), lambda b: b.shape("x" * 10**5),
    lambda b: b.remove_shape(10**3000),
])  # fmt: skip
def test_messages_are_short(call):
    with pytest.raises(Error) as error:
        call(NativeBackend())
    assert 10 < len(str(error.value)) < 1000
