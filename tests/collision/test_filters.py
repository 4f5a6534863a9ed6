"""Who may collide with whom, ids, and arguments that are refused."""

import numpy as np
import pytest
from collision_scenes import pose

from rbdyn.collision import Box, Capsule, CollisionBackend, ConvexHull, FCLBackend, HalfSpace, NativeBackend, Sphere
from rbdyn.errors import CollisionError, UnknownNameError
from rbdyn.testing.collision import check_collision_backend

BALL = Sphere(0.1)


def pair(**settings):
    b = NativeBackend(**settings)
    return b, b.add_shape(BALL, 0), b.add_shape(BALL, 1), np.array([pose(0, 0, 0), pose(0, 0, 0.15)])


@pytest.mark.parametrize("make", [NativeBackend, FCLBackend])
def test_every_law_holds(make):
    laws = check_collision_backend(make())
    assert len(laws) == 9


def test_half_spaces_obey_the_filters_too():
    b = NativeBackend()
    ground = b.add_shape(HalfSpace(), 0, dynamic=False)
    b.add_shape(BALL, 1, group=2)
    poses = np.array([np.eye(4), pose(0, 0, 0.05)])
    assert len(b.query(poses)) == 1
    b.set_group(ground, 1, 1)
    assert len(b.query(poses)) == 0
    b.set_group(ground, 1, 2)
    b.exclude(0, 1)
    assert len(b.query(poses)) == 0
    b.include(1, 0)
    assert len(b.query(poses)) == 1
    b.set_dynamic(1, False)
    assert len(b.query(poses)) == 0


def test_many_exclusions_come_and_go():
    b = NativeBackend()
    rng = np.random.default_rng(0)
    n = 30
    for body in range(n):
        b.add_shape(BALL, body)
    poses = np.array([pose(*rng.uniform(0, 0.05, 3)) for _ in range(n)])
    apart = set()
    for _ in range(300):
        i, j = sorted(map(int, rng.choice(n, 2, replace=False)))
        if rng.random() < 0.7:
            b.exclude(j, i)
            apart.add((i, j))
        else:
            b.allow(j, i)
            apart.discard((i, j))
    found = {(int(c["body_a"]), int(c["body_b"])) for c in b.query(poses)}
    everyone = {(i, j) for i in range(n) for j in range(i + 1, n)}
    assert everyone - found == apart and len(apart) > 50


def test_ids_survive_removals_and_are_given_again():
    b = NativeBackend()
    ids = [b.add_shape(BALL, body) for body in range(5)]
    b.remove_shape(ids[1])
    b.remove_shape(ids[4])
    assert b.ids == [ids[0], ids[2], ids[3]]
    assert b.add_shape(BALL, 1) == ids[4]
    found = b.query(np.stack([np.eye(4)] * 5))
    assert set(found["shape_a"]) | set(found["shape_b"]) == set(b.ids)
    with pytest.raises(UnknownNameError, match="shape id"):
        b.remove_shape(ids[1])
    assert len(b) == 4


def test_the_least_free_id_is_given_where_most_are_free():
    b = NativeBackend()
    for body in range(72):
        b.add_shape(BALL, body)
    for k in range(71):
        if k != 2:
            b.remove_shape(k)
    assert b.ids == [2, 71]                                      # 72 ids for 2 shapes
    assert [b.add_shape(BALL, body) for body in (0, 1, 2)] == [0, 1, 72]
    assert b.ids == [0, 1, 2, 71, 72]
    b.set_shape(1, Sphere(0.3))
    assert [b.shape(k).radius for k in b.ids] == [BALL.radius, 0.3] + [BALL.radius] * 3


def test_set_shape_pose_moves_the_shape():
    b, low, _, poses = pair()
    b.set_shape_pose(low, pose(0, 0, -0.01))
    assert b.query(poses)["depth"][0] == pytest.approx(0.04)
    b.set_shape_pose(low, pose(0, 0, -1.0))
    assert len(b.query(poses)) == 0


def test_shape_pose_turns_with_the_body():
    b = NativeBackend()
    b.add_shape(HalfSpace(), 0)
    b.add_shape(Capsule(0.1, 0.4), 1, pose=[[0, 0, 1, 0.2], [0, 1, 0, 0], [-1, 0, 0, 0], [0, 0, 0, 1]])
    found = b.query([np.eye(4), pose(0, 0, 0.095)])
    assert sorted(found["position"][:, 0]) == pytest.approx([0.0, 0.4])
    quarter = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0.095], [0, 0, 0, 1]]
    assert sorted(b.query([np.eye(4), quarter])["position"][:, 1]) == pytest.approx([0.0, 0.4])


@pytest.mark.parametrize("make, match", [
    (lambda b: b.add_shape("ball", 0), "shape must be one of"),
    (lambda b: b.add_shape(BALL, -1), "body"),
    (lambda b: b.add_shape(BALL, True), "body"),
    (lambda b: b.add_shape(BALL, 0.5), "body"),
    (lambda b: b.add_shape(BALL, 2**31), "body"),
    (lambda b: b.add_shape(BALL, 0, group=2**64), "group"),
    (lambda b: b.add_shape(BALL, 0, mask="all"), "mask"),
    (lambda b: b.add_shape(BALL, 0, pose=np.eye(3)), "pose"),
    (lambda b: b.add_shape(BALL, 0, pose=2 * np.eye(4)), "pose must be a rigid"),
    (lambda b: b.add_shape(BALL, 0, pose=np.diag([1.0, 1, -1, 1])), "pose must be a rigid"),
    (lambda b: b.add_shape(BALL, 0, pose=np.full((4, 4), np.nan)), "pose must be finite"),
    (lambda b: b.add_shape(ConvexHull([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]), 0), "one plane"),
    (lambda b: b.add_shape(Sphere(1e200), 0), "radius"),
    (lambda b: b.query(3), "poses"),
    (lambda b: b.query([np.eye(4)]), "bodies up to number 1"),
    (lambda b: b.query([np.eye(4), np.full((4, 4), np.inf)]), "body 1"),
    (lambda b: setattr(b, "margin", -1.0), "margin"),
    (lambda b: setattr(b, "margin", np.nan), "margin"),
    (lambda b: setattr(b, "filter_rule", "xor"), "filter_rule"),
])  # fmt: skip
def test_bad_arguments_are_named_and_change_nothing(make, match):
    b, *_, poses = pair()
    before = b.query(poses)
    with pytest.raises(CollisionError, match=match):
        make(b)
    assert np.array_equal(b.query(poses), before) and len(b) == 2


def test_objects_made_without_init_are_empty_and_valid():
    for cls in (CollisionBackend, NativeBackend):
        b = cls.__new__(cls)
        assert len(b) == 0 and b.ids == [] and b.margin == 0.0
        b.add_shape(Box((1, 1, 1)), 0)
        b.remove_shape(0)
    with pytest.raises(CollisionError, match="CollisionBackend defines neither"):
        CollisionBackend().query([])
    assert len(NativeBackend.__new__(NativeBackend).query([])) == 0
    with pytest.raises(TypeError):
        __import__("copy").copy(NativeBackend())
    with pytest.raises(AttributeError):
        _ = NativeBackend().nothing
