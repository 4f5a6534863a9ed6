"""Backends written in Python, and what they may and may not do with a scene."""

import subprocess
import sys

import numpy as np
import pytest
from collision_scenes import pose

import rbdyn
from rbdyn.collision import Box, CollisionBackend, CollisionScene, HalfSpace, NativeBackend, Sphere, native_contacts
from rbdyn.contact import ContactSolver
from rbdyn.errors import CollisionError, ContactError, Error, UnknownNameError
from rbdyn.testing.collision import check_collision_backend


class Balls(CollisionBackend):
    """Spheres only, in plain Python."""

    def detect(self, scene):
        for i, j in scene.pairs():
            x, y = scene.world_pose(i)[:3, 3], scene.world_pose(j)[:3, 3]
            gap = np.linalg.norm(x - y)
            r, s = scene.shape(i).radius, scene.shape(j).radius
            n = (x - y) / gap
            if r + s - gap > -scene.margin:
                scene.add_contact(i, j, y + (s - 0.5 * (r + s - gap)) * n, n, r + s - gap)


class Louder(NativeBackend):
    """What the base finds, 1 mm deeper, reported from B to A."""

    def detect(self, scene):
        for i, j in scene.pairs():
            for x, n, depth, feature in native_contacts(scene, i, j):
                scene.add_contact(j, i, x, tuple(-v for v in n), depth + 1e-3, feature)


class Same(NativeBackend):
    def detect(self, scene):
        super().detect(scene)


class Keeper(CollisionBackend):
    def detect(self, scene):
        self.scene = scene
        self.shapes, self.poses = scene.shapes, scene.poses


def scene_of_balls(backend, n=40, seed=2):
    rng = np.random.default_rng(seed)
    for body in range(n):
        backend.add_shape(Sphere(rng.uniform(0.05, 0.2)), body)
    return np.array([pose(*rng.uniform(0, 1, 3)) for _ in range(n)])


def test_doors_are_told_apart():
    assert [cls().overridden for cls in (NativeBackend, Balls, Louder, Same)] == [False, True, True, True]


def test_python_backend_agrees_with_the_native_one():
    check_collision_backend(Balls(), shapes=["sphere"])
    ours, theirs = Balls(margin=0.02), NativeBackend(margin=0.02)
    one, two = ours.query(scene_of_balls(ours)), theirs.query(scene_of_balls(theirs))
    assert len(two) > 30 and (two["depth"] < 0).any()
    for field in ("shape_a", "shape_b", "body_a", "body_b", "feature"):
        assert np.array_equal(one[field], two[field])
    for field in ("position", "normal", "depth"):
        np.testing.assert_allclose(one[field], two[field], atol=1e-12)


def test_super_and_swapped_ids():
    plain, same, louder = NativeBackend(), Same(), Louder()
    found = [b.query(scene_of_balls(b)) for b in (plain, same, louder)]
    assert np.array_equal(found[0], found[1])
    np.testing.assert_allclose(found[0]["normal"], found[2]["normal"], atol=1e-15)
    np.testing.assert_allclose(found[0]["depth"] + 1e-3, found[2]["depth"])


def test_scene_dies_with_the_step():
    b = Keeper()
    b.add_shape(HalfSpace(), 0)
    b.add_shape(Box((1, 1, 1)), 1, pose=pose(0, 0, 2))
    b.query([np.eye(4), pose(1, 2, 3)])
    assert [(s.id, s.body) for s in b.shapes] == [(0, 0), (1, 1)]
    np.testing.assert_array_equal(b.shapes[1].pose, pose(0, 0, 2))
    np.testing.assert_array_equal(b.poses[1], pose(1, 2, 3))
    for use in (lambda s: s.poses, lambda s: s.shapes, lambda s: s.pairs(), lambda s: s.margin, lambda s: s.contacts,
                lambda s: s.world_pose(0), lambda s: s.add_contact(0, 1, (0, 0, 0), (0, 0, 1), 0.1),
                lambda s: NativeBackend().detect(s), lambda s: native_contacts(s, 0, 1)):  # fmt: skip
        with pytest.raises(CollisionError, match="over"):
            use(b.scene)
    with pytest.raises(CollisionError, match="over"):
        _ = CollisionScene.__new__(CollisionScene).margin


@pytest.mark.parametrize("args, error, match", [
    ((0, 1, (0, 0, np.nan), (0, 0, 1), 0.1), CollisionError, "position"),
    ((0, 1, (0, 0), (0, 0, 1), 0.1), CollisionError, "position"),
    ((0, 1, (0, 0, 0), (0, 0, 1.1), 0.1), CollisionError, "normal"),
    ((0, 1, (0, 0, 0), (0, 0, 0), 0.1), CollisionError, "normal"),
    ((0, 1, (0, 0, 0), (0, 0, 1), np.inf), CollisionError, "depth"),
    ((0, 1, (0, 0, 0), (0, 0, 1), "deep"), CollisionError, "depth"),
    ((0, 1, (0, 0, 0), (0, 0, 1), 0.1, 2**40), CollisionError, "feature"),
    ((0, 0, (0, 0, 0), (0, 0, 1), 0.1), CollisionError, "twice"),
    ((0, 7, (0, 0, 0), (0, 0, 1), 0.1), UnknownNameError, "shape id"),
])  # fmt: skip
def test_contacts_are_validated(args, error, match):
    class Bad(CollisionBackend):
        def detect(self, scene):
            scene.add_contact(0, 1, (0, 0, 0), (0, 0, 1), 0.1)
            scene.add_contact(*args)

    b = Bad()
    poses = scene_of_balls(b, 2)
    with pytest.raises(error, match=match):
        b.query(poses)


def test_contacts_of_python_backends_are_sorted():
    class Shuffled(CollisionBackend):
        def detect(self, scene):
            rng = np.random.default_rng(0)
            keys = [(i, j, f) for i in range(5) for j in range(i + 1, 6) for f in range(3)]
            for k in rng.permutation(len(keys)):
                i, j, f = keys[k]
                scene.add_contact(i, j, (0, 0, 0), (0, 0, 1), 0.1, f)
            assert len(scene.contacts) == len(keys)

    b = Shuffled()
    found = b.query(scene_of_balls(b, 6))
    keys = list(zip(found["shape_a"], found["shape_b"], found["feature"], strict=True))
    assert keys == sorted(keys) and len(keys) == 45


def test_an_exception_crosses_the_c_code():
    class Broken(CollisionBackend):
        def detect(self, scene):
            raise ZeroDivisionError("mine")

    b = Broken()
    with pytest.raises(ZeroDivisionError, match="mine"):
        b.query(scene_of_balls(b, 2))


def test_a_base_class_is_refused_when_a_world_takes_it():
    class Silent(CollisionBackend):
        pass

    for backend in (CollisionBackend(), Silent()):
        with pytest.raises(CollisionError, match=r"defines neither detect\(\) in Python nor detect_c\(\)"):
            rbdyn.World(collision=backend)
    with pytest.raises(ContactError, match=r"ContactSolver defines neither solve\(\)"):
        rbdyn.World(contact=ContactSolver())

    class Hopeful(CollisionBackend):
        def detect(self, scene):
            super().detect(scene)

    with pytest.raises(CollisionError, match="no detect_c"):
        Hopeful().query([])


def test_the_laws_can_fail():
    class Deep(NativeBackend):
        def detect(self, scene):
            for i, j in scene.pairs():
                for x, n, depth, feature in native_contacts(scene, i, j):
                    scene.add_contact(i, j, x, n, depth + 1e-5, feature)

    class Turned(NativeBackend):
        def detect(self, scene):
            for i, j in scene.pairs():
                for x, n, depth, feature in native_contacts(scene, i, j):
                    scene.add_contact(i, j, x, tuple(-v for v in n), depth, feature)

    class OnePoint(NativeBackend):
        def detect(self, scene):
            for i, j in scene.pairs():
                for x, n, depth, _ in native_contacts(scene, i, j)[:1]:
                    scene.add_contact(i, j, x, n, depth)

    for cls, law in ((Deep, "closed forms"), (Turned, "closed forms"), (OnePoint, "support|rigid motion|swap|closed")):
        with pytest.raises(CollisionError, match=law):
            check_collision_backend(cls())
    with pytest.raises(CollisionError, match="must be a CollisionBackend"):
        check_collision_backend(NativeBackend)
    with pytest.raises(Error, match="among"):
        check_collision_backend(NativeBackend(), shapes=["torus"])
    with pytest.raises(Error, match="bounded"):
        check_collision_backend(NativeBackend(), shapes="half_space")


@pytest.mark.parametrize("known, laws", [
    (["sphere"], 7), (["box"], 7), (["capsule"], 7), (["box", "half_space"], 8), (["sphere", "half_space"], 8),
    (["sphere", "box", "capsule"], 7), (["half_space", "sphere", "box", "capsule"], 9),
])  # fmt: skip
def test_a_backend_is_tested_for_the_shapes_it_knows(known, laws):
    """It never sees another kind, and breaks on what it knows are found all the same."""

    class Some(NativeBackend):
        def add_shape(self, shape, *args, **kwargs):
            assert shape.kind in known
            return super().add_shape(shape, *args, **kwargs)

    class Blind(Some):
        def detect(self, scene):
            pass

    class Beside(Some):
        def query(self, poses):
            found = super().query(poses).copy()
            found["position"] += 0.3
            return found

    assert len(check_collision_backend(Some(), shapes=known)) == laws
    with pytest.raises(CollisionError, match="breaks the law 'positions'|breaks the law 'sphere drop'"):
        check_collision_backend(Beside(), shapes=known)
    with pytest.raises(CollisionError, match="breaks the law"):
        check_collision_backend(Blind(), shapes=known)


def test_import_stays_cheap():
    code = "import rbdyn.collision, sys; print(sorted({'fcl', 'scipy', 'trimesh'} & set(sys.modules)))"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"
