"""Meshes as triangles through python-fcl: closed meshes keep things out, from every side."""

import numpy as np
import pytest
from collision_scenes import contacts, pose, rotation
from scipy.spatial import ConvexHull as Qhull

import rbdyn
from rbdyn.collision import Box, Capsule, ConvexHull, FCLBackend, Mesh, NativeBackend, Sphere

BLOCK = 2.0 * np.mgrid[-1:2:2, -1:2:2, -1:2:2].reshape(3, -1).T  # corners of a cube


def polyhedron(rng, corners=12):
    """A closed convex mesh of triangles in no particular order: points on a ball of radius 0.5 [m]."""
    points = rng.normal(size=(corners, 3))
    points *= 0.5 / np.linalg.norm(points, axis=1, keepdims=True)
    faces = Qhull(points).simplices.astype(np.int64)
    a, b, c = (points[faces[:, k]] for k in range(3))
    inward = np.einsum("ij,ij->i", np.cross(b - a, c - a), a) < 0.0  # the origin is inside
    faces[inward] = faces[inward][:, ::-1]
    return Mesh(points, faces[rng.permutation(len(faces))])


def frame_with_z(n, rng):
    """A rotation whose z axis is n."""
    x = np.cross(n, rng.normal(size=3))
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(n, x), n], axis=1)


def wide_triangles(mesh, room):
    """Incentre and outward normal of the triangles in which a circle of radius `room` fits."""
    for face in mesh.faces:
        a, b, c = mesh.vertices[face]
        normal = np.cross(b - a, c - a)
        sides = np.array([np.linalg.norm(b - c), np.linalg.norm(c - a), np.linalg.norm(a - b)])
        if np.linalg.norm(normal) / sides.sum() > room:
            yield sides @ (a, b, c) / sides.sum(), normal / np.linalg.norm(normal)


@pytest.mark.parametrize("mesh_moves", [False, True])
def test_every_side_of_a_closed_mesh_answers_as_its_hull(seed, mesh_moves):
    """Depth and normal on each wide triangle, in general pose and either order, are those of the native hull."""
    rng = np.random.default_rng(seed)
    mesh, seen = polyhedron(rng), 0
    corner = np.array([1.0, 1.0, 1.0]) / np.sqrt(3.0)
    for centre, normal in wide_triangles(mesh, 0.04):
        M, seen = pose(*rng.uniform(-2, 2, 3), rotation(rng)), seen + 1
        out = frame_with_z(normal, rng)
        ball = Sphere(0.05), pose(*(centre + 0.046 * normal), rotation(rng))
        rod = Capsule(0.02, 0.3), pose(*(centre + 0.166 * normal), out)
        cube_axes = out @ frame_with_z(corner, rng).T  # a corner of the cube points into the mesh
        cube = Box((0.1, 0.1, 0.1)), pose(*(centre + (0.05 * np.sqrt(3.0) - 0.004) * normal), cube_axes)
        for shape, X in (ball, rod, cube):
            for flip in (False, True):
                pairs = [[(solid, M), (shape, M @ X)] for solid in (mesh, ConvexHull(mesh.vertices))]
                answers = []
                for backend, parts in zip((FCLBackend(mesh="triangles"), NativeBackend()), pairs, strict=True):
                    for body, (part, _) in enumerate(parts[::-1] if flip else parts):
                        backend.add_shape(part, body, dynamic=(part is shape) != mesh_moves)
                    found = backend.query([at for _, at in (parts[::-1] if flip else parts)])
                    assert len(found) > 0
                    answers.append(found[np.argmax(found["depth"])])
                ours, hull = answers
                assert hull["depth"] == pytest.approx(0.004, abs=1e-6)
                assert ours["depth"] == pytest.approx(hull["depth"], abs=1e-6)
                expected = M[:3, :3] @ normal * (1.0 if flip else -1.0)
                np.testing.assert_allclose(hull["normal"], expected, atol=1e-6)
                np.testing.assert_allclose(ours["normal"], expected, atol=1e-6)
                on_surface = (ours["position"] - (M @ [*centre, 1.0])[:3]) @ expected
                assert abs(on_surface) < 0.005
    assert seen >= 5


@pytest.mark.parametrize("plate", [Box((3.0, 4.0, 0.5)), ConvexHull(BLOCK)])
def test_corners_of_a_mesh_meet_large_flat_sides(seed, plate):
    """A corner 4 mm deep in a wide side has that depth and the side's normal, however far the side goes on."""
    rng = np.random.default_rng(seed)
    mesh, M, R = polyhedron(rng), pose(*rng.uniform(-2, 2, 3), rotation(rng)), rotation(rng)
    top = 0.25 if isinstance(plate, Box) else 2.0
    lift = top - 0.004 - (mesh.vertices @ R[2]).min()
    x, y = rng.uniform(-0.5, 0.5, 2)
    parts = (plate, M), (mesh, M @ pose(x, y, lift, R))
    for order in (parts, parts[::-1]):
        backend = FCLBackend(mesh="triangles")
        for body, (part, _) in enumerate(order):
            backend.add_shape(part, body)
        found = backend.query([at for _, at in order])
        assert len(found) > 0
        np.testing.assert_allclose(found["depth"], 0.004, atol=1e-6)
        up = M[:3, 2] * (-1.0 if order is parts else 1.0)
        np.testing.assert_allclose(found["normal"], [up] * len(found), atol=1e-6)


def notched():
    """A closed block [0, 2] x [0, 1] x [0, 2] without its upper half beyond x = 1: not convex."""
    outline = [(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)]  # x, z, counter-clockwise seen from -y
    vertices = np.array([(x, y, z) for y in (0.0, 1.0) for x, z in outline])
    front = [(0, 1, 2), (0, 2, 3), (0, 3, 5), (3, 4, 5)]
    back = [tuple(6 + k for k in f[::-1]) for f in front]
    ring = [(k, (k + 1) % 6) for k in range(6)]
    sides = [f for k, j in ring for f in ((k, k + 6, j + 6), (k, j + 6, j))]
    return Mesh(vertices, front + back + sides)


def test_a_notch_is_no_part_of_the_triangles():
    """A ball in the notch touches the step under it alone; the hull would hold it much deeper."""
    mesh = notched()
    a, b, c = (mesh.vertices[mesh.faces[:, k]] for k in range(3))
    assert np.einsum("ij,ij->", a, np.cross(b, c)) / 6.0 == pytest.approx(3.0)  # closed, outward
    ball = Sphere(0.1), pose(1.6, 0.4, 1.09)
    found = contacts(NativeBackend(), (mesh.convex_hull(), np.eye(4)), ball)
    assert found["depth"].max() > 0.2
    for b in (FCLBackend(mesh="triangles"), NativeBackend()):
        b.add_shape(mesh, 0)
        b.add_shape(ball[0], 1)
        found = b.query([np.eye(4), ball[1]])
        assert len(found) > 0
        np.testing.assert_allclose(found["depth"], 0.01, atol=1e-6)
        np.testing.assert_allclose(found["normal"], [[0, 0, -1.0]] * len(found), atol=1e-9)


@pytest.mark.parametrize("mesh_moves", [False, True])
@pytest.mark.parametrize("make", [NativeBackend, lambda: FCLBackend(mesh="triangles")])
def test_nothing_falls_through_a_closed_mesh(mesh_moves, make):
    """A ball dropped on a closed mesh rests on it; the mesh dropped on a plate rests on that."""
    mesh = notched()
    world = rbdyn.World(2e-3, collision=make(), gravity=(0.0, 0.0, -9.81))
    if mesh_moves:
        plate = world.add_single_body([rbdyn.Geometry(Box((6.0, 6.0, 0.2)))], 0.0, np.zeros((3, 3)), "static")
        plate.set_pose((0.0, 0.0, -0.1))
        body = world.add_single_body([rbdyn.Geometry(mesh, rbdyn.Transform(translation=(-0.8, -0.5, -0.8)))], 5.0,
                                     np.diag([2.0, 3.0, 2.0]))  # fmt: skip
        body.set_pose((0.0, 0.0, 0.85))
        expected = 0.8
    else:
        world.add_single_body([rbdyn.Geometry(mesh)], 0.0, np.zeros((3, 3)), "static")
        body = world.add_sphere(0.1, 1.0)
        body.set_pose((1.6, 0.4, 1.2))
        expected = 1.1
    world.step(500)
    assert body.position[2] == pytest.approx(expected, abs=5e-3)


ROBOT = """<robot name="bot"><link name="base"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"
ixz="0" iyz="0"/></inertial><collision><geometry><mesh filename="block.obj"/></geometry></collision>
<collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"""


def write_robot(folder):
    mesh = notched()
    lines = [f"v {x} {y} {z}" for x, y, z in mesh.vertices] + [f"f {a} {b} {c}" for a, b, c in mesh.faces + 1]
    (folder / "block.obj").write_text("\n".join(lines))
    (folder / "bot.urdf").write_text(ROBOT)
    return folder / "bot.urdf"


def test_a_backend_that_takes_the_hull_says_so(tmp_path):
    """One warning with the robot and its meshes, at the add; none where triangles stay triangles, or none came."""
    path = write_robot(tmp_path)
    with pytest.warns(UserWarning, match="convex hull") as seen:
        rbdyn.World(collision="fcl").add_articulated_system(path, collision_mesh="triangles")
    assert len(seen) == 1
    assert all(word in str(seen[0].message) for word in ("'bot'", "base/0", "block.obj", "NativeBackend"))
    assert "base/1" not in str(seen[0].message)
    with pytest.warns(UserWarning, match="'slab'.*convex hull"):
        shapes = [rbdyn.Geometry(notched())]
        rbdyn.World(collision="fcl").add_single_body(shapes, 0.0, np.zeros((3, 3)), "static", "slab")
    rbdyn.World(collision="fcl").add_articulated_system(path)
    rbdyn.World().add_articulated_system(path, collision_mesh="triangles")
    backend = FCLBackend(mesh="triangles")
    assert (backend.mesh, FCLBackend().mesh, NativeBackend().mesh) == ("triangles", "hull", "triangles")
    rbdyn.World(collision=backend).add_articulated_system(path, collision_mesh="triangles")
    assert isinstance(backend.shape(0), Mesh)


def test_the_warning_as_an_error_leaves_the_world_as_it_was(tmp_path):
    """Users who turn warnings into errors get the add undone."""
    world = rbdyn.World(collision="fcl")
    with pytest.raises(UserWarning, match="convex hull"):  # pytest's filter makes it one here
        world.add_articulated_system(write_robot(tmp_path), collision_mesh="triangles")
    assert world.objects == () and len(world.collision) == 0
