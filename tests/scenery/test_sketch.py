"""What users draw, wires and loops: in pictures they look as if they were things, and nothing else sees them."""

import numpy as np
import pytest

import rbdyn
from rbdyn import models
from rbdyn.collision import Box, HalfSpace, Sphere
from rbdyn.errors import Error, UnknownNameError
from rbdyn.scenery import Camera, Scenery, Style, look

CAMERA = Camera(width=160, height=120, position=(2.5, -2.0, 1.6), target=(0.2, 0.0, 0.6))
RED = (0.9, 0.1, 0.1)


def scene():
    world = rbdyn.World()
    world.add_ground()
    box = world.add_box(0.3, 0.2, 0.2, 1.0, name="box")
    box.set_pose((0.4, 0.1, 0.8), (0.5, 0.5, -0.5, 0.5))
    return world, box


def reddish(rgb):
    """How many pixels are."""
    seen = rgb.astype(int)
    return int(((seen[..., 0] > 120) & (seen[..., 0] > 2 * seen[..., 1])).sum())


@pytest.mark.parametrize("samples", [1, 2])
def test_a_shape_looks_as_the_same_thing_would(samples):
    """The oracle is a World that has the thing; shadows, edges and all."""
    world, box = scene()
    other, _ = scene()
    style = Style(antialias=samples, shadows=False)  # which fall in the ball about all things
    pose = rbdyn.Transform(rpy=(0.3, 0.2, 0.1), translation=(-0.2, -0.3, 0.5))
    thing = other.add_box(0.3, 0.4, 0.2, 1.0, name="thing")
    thing.set_geometry(0, color=(*RED, 1.0))
    thing.set_pose(pose.translation, pose.quat)
    world.sketch.shape("thing", Box((0.3, 0.4, 0.2)), pose, RED)
    drawn, real = look(world, CAMERA, style=style), look(other, CAMERA, style=style)
    box_alone = world.render(CAMERA, show=())
    np.testing.assert_array_equal(drawn.rgb, real.rgb)
    assert reddish(drawn.rgb) > 100 and reddish(box_alone) == 0
    assert (drawn.depth != real.depth).sum() > 100  # depths are of real things alone
    assert {view.items[k].object for view in (drawn,) for k in np.unique(drawn.segmentation)} == {"ground_0", "box"}


def test_it_moves_with_what_it_is_drawn_on():
    world, box = scene()
    world.sketch.sphere("head", (0.0, 0.2, 0.1), 0.05, RED, on=box)
    for _ in range(3):
        (mark,) = Scenery(world).marks().shapes
        np.testing.assert_allclose(mark.pose[:3, 3], box.position + box.rotation @ (0.0, 0.2, 0.1), atol=1e-14)
        world.step(20)
    dog = world.add_articulated_system(models.quadruped(), name="dog")
    for on in (dog.body("LF_FOOT"), dog.frame("LF_FOOT"), (dog, "LF_FOOT")):
        world.sketch.label("head", "foot", (0.01, 0.0, 0.0), on=on)
        (label,) = Scenery(world).marks().labels
        np.testing.assert_allclose(label.position, (dog.body_pose("LF_FOOT") @ (0.01, 0, 0, 1))[:3], atol=1e-14)
    world.remove(dog)
    assert Scenery(world).marks().labels == ()  # it waits for one of that name to come back


def test_arrows_and_lines_go_from_point_to_point():
    world, _ = scene()
    a, b = np.array([0.1, 0.2, 0.3]), np.array([0.4, -0.5, 0.9])
    world.sketch.arrow("arrow", a, b, 0.02)
    shaft, head = Scenery(world).marks().shapes
    for mark in (shaft, head):
        np.testing.assert_allclose(mark.pose[:3, 2], (b - a) / np.linalg.norm(b - a), atol=1e-12)
    np.testing.assert_allclose(shaft.pose[:3, 3] - 0.5 * shaft.shape.height * shaft.pose[:3, 2], a, atol=1e-12)
    np.testing.assert_allclose(head.pose[:3, 3] + 0.5 * head.shape.height * head.pose[:3, 2], b, atol=1e-12)
    assert shaft.shape.height + head.shape.height == pytest.approx(np.linalg.norm(b - a))
    world.sketch.arrow("arrow", a, a)
    assert Scenery(world).marks().shapes == ()
    world.sketch.line("arrow", [a, b, b, (0, 0, 1)], 0.02)
    first, second = Scenery(world).marks().shapes
    ends = [m.pose[:3, 3] + s * 0.5 * m.shape.height * m.pose[:3, 2] for m in (first, second) for s in (-1, 1)]
    np.testing.assert_allclose(ends, [a, b, b, (0, 0, 1)], atol=1e-12)


def test_a_label_is_written_where_its_place_is_seen():
    pytest.importorskip("PIL", reason="needs pillow")
    world, box = scene()
    plain = world.render(CAMERA)
    world.sketch.label("name", "WWWW", (0.0, 0.0, 0.0), RED, on=box)
    changed = np.argwhere((world.render(CAMERA) != plain).any(axis=-1))
    u, v = CAMERA.project(box.position)
    assert len(changed) > 20
    assert abs(changed[:, 1].min() - u) < 4 and -2 < v - changed[:, 0].max() < 6  # it begins there, above the line
    assert (world.render(CAMERA, "depth") == rbdyn.World.render(world, CAMERA, "depth")).all()
    assert (world.render(CAMERA, show=("wires", "loops")) == plain).all()
    behind = Camera(width=160, height=120, position=(2.5, -2.0, 1.6), target=(5.0, -4.0, 2.6))
    assert (world.render(behind) == world.render(behind, show=())).all()


def test_wires_are_seen_where_they_run():
    world, box = scene()
    plain = world.render(CAMERA)
    way = [(None, (0, 0.3, 0.9))]
    wire = world.add_stiff_wire(None, box, point_a=(0.4, 0.4, 1.0), point_b=(0.1, 0.0, 0.0), via=way)
    (tie,) = Scenery(world).ties
    assert (tie.kind, tie.name) == ("wires", wire.name)
    scenery = Scenery(world)
    np.testing.assert_allclose(tie.points(scenery.carrier_poses()), wire.points, atol=1e-14)
    rgb = world.render(CAMERA)
    for point in (0.5 * (wire.points[0] + wire.points[1]), 0.7 * wire.points[1] + 0.3 * wire.points[2]):
        u, v = CAMERA.project(point)
        near = rgb[int(v) - 1 : int(v) + 2, int(u) - 1 : int(u) + 2].astype(int).sum(axis=-1).min()
        assert near < plain[int(v), int(u)].astype(int).sum() - 100
    assert (world.render(CAMERA, show="sketch") == plain).all()
    world.remove(wire)
    assert (world.render(CAMERA) == plain).all()


def four_bar():
    """Bars in the plane of x and z, closed by a revolute joint about y."""
    mechanism = rbdyn.Mechanism(rbdyn.RigidBody("world"))
    parent, links = mechanism.root_body, []
    for k, place in enumerate([(0, 0, 1.0), (0, 0, 0.5), (0.7, 0, 0)]):
        link = rbdyn.RigidBody(f"bar{k}", rbdyn.SpatialInertia(1.0, inertia=np.eye(3)))
        mechanism.attach(parent, link, rbdyn.Joint(f"joint{k}", rbdyn.Revolute((0, 1, 0))),
                         joint_pose=rbdyn.Transform(translation=place))  # fmt: skip
        parent = link
        links.append(link)
    mechanism.attach(mechanism.root_body, links[-1], rbdyn.Joint("closing", rbdyn.Revolute((0, 1, 0))),
                     joint_pose=rbdyn.Transform(translation=(0.7, 0, 1.0)),
                     successor_pose=rbdyn.Transform(translation=(0, 0, 0.5)))  # fmt: skip
    return mechanism


def test_loops_are_seen_on_either_body():
    """Both frames of the loop joint meet while it is closed; an open one shows the gap."""
    model = rbdyn.Model(four_bar())
    state = rbdyn.State(model)
    (tie,) = Scenery(state).ties
    assert (tie.kind, tie.axis) == ("loops", (0.0, 1.0, 0.0))
    for q in ([0.0, 0.0, 0.0], [0.3, -0.3, 0.1]):
        state.set(q)
        X = rbdyn.body_pose(state, "bar2")
        after = X[:3, 3] - X[:3, :3] @ (0, 0, 0.5)  # its frame on the successor
        carriers = Scenery(state).carrier_poses()
        np.testing.assert_allclose(tie.points(carriers), [(0.7, 0, 1.0), after], atol=1e-12)
        axes = tie.axes(carriers, 0.1)
        np.testing.assert_allclose(axes[0], [(0.7, -0.1, 1.0), (0.7, 0.1, 1.0)], atol=1e-12)
        np.testing.assert_allclose(axes[1].mean(axis=0), after, atol=1e-12)
        n = len(Scenery(state).marks().shapes)
        assert n == 2 + bool(np.linalg.norm(after - (0.7, 0, 1.0)) > 1e-9)


def test_joints_between_objects_are_loops_too():
    world, box = scene()
    ball = world.add_sphere(0.1, 1.0, name="ball")
    ball.set_pose((0.4, 0.1, 1.2))
    here = rbdyn.Transform(box.rotation.T, translation=box.rotation.T @ (0.0, 0.0, 0.2))
    world.add_joint(box, ball, rbdyn.Joint("socket", rbdyn.Spherical()), here,
                    rbdyn.Transform(translation=(0, 0, -0.2)))  # fmt: skip
    (tie,) = Scenery(world).ties
    np.testing.assert_allclose(tie.points(Scenery(world).carrier_poses()), [(0.4, 0.1, 1.0)] * 2, atol=1e-12)
    assert len(tie.axes(Scenery(world).carrier_poses(), 0.1)) == 0


def test_the_same_name_takes_the_place_of_the_old_one():
    world, _ = scene()
    world.sketch.sphere("a", (0, 0, 1), color=RED)
    world.sketch.line("a", [(0, 0, 1), (1, 0, 1)])
    assert [one.kind for one in world.sketch] == ["line"] and "a" in world.sketch
    assert repr(world.sketch) == "Sketch(1 strokes: a)"
    world.sketch.remove("a")
    assert len(world.sketch) == 0
    with pytest.raises(UnknownNameError, match="no stroke named 'a'"):
        world.sketch.remove("a")
    world.sketch.sphere("b", (0, 0, 1))
    world.sketch.clear()
    assert world.sketch.strokes == ()


def test_it_is_no_part_of_the_state():
    world, box = scene()
    before = world.state_hash()
    world.sketch.sphere("a", (0, 0, 1), on=box)
    assert world.state_hash() == before
    snapshot = world.snapshot()
    world.sketch.clear()
    world.restore(snapshot)
    assert world.sketch.strokes == ()


@pytest.mark.parametrize(
    ("draw", "says"),
    [
        (lambda s, b: s.sphere("", (0, 0, 0)), "name must be a non-empty string"),
        (lambda s, b: s.sphere("a", (0, 0, np.nan)), "pose"),
        (lambda s, b: s.sphere("a", (0, 0, 0), -1.0), "radius must be"),
        (lambda s, b: s.sphere("a", (0, 0, 0), color=(1, 0)), r"color must be \(r, g, b\)"),
        (lambda s, b: s.sphere("a", (0, 0, 0), color=(2, 0, 0)), "color must be between 0 and 1"),
        (lambda s, b: s.sphere("a", (0, 0, 0), color=None), r"color must be \(r, g, b\)"),
        (lambda s, b: s.sphere("a", (0, 0, 0), on="box"), "on must be a single body"),
        (lambda s, b: s.sphere("a", (0, 0, 0), on=(b, "x")), "on must be a single body"),
        (lambda s, b: s.shape("a", HalfSpace()), "that has an end"),
        (lambda s, b: s.shape("a", "ball"), "that has an end"),
        (lambda s, b: s.line("a", [(0, 0, 0)]), "n from 2 to"),
        (lambda s, b: s.line("a", [(0, 0, 0), (0, np.inf, 0)]), "finite"),
        (lambda s, b: s.line("a", "points"), "points must be"),
        (lambda s, b: s.line("a", [(0, 0, 0), (0, 1, 0)], 0.0), "width must be"),
        (lambda s, b: s.arrow("a", (0, 0), (0, 0, 1)), "start"),
        (lambda s, b: s.label("a", ""), "text must be"),
        (lambda s, b: s.label("a", "x" * 201), "text must be"),
        (lambda s, b: s.label("a", 7), "text must be"),
    ],
)
def test_bad_input_draws_nothing(draw, says):
    world, box = scene()
    world.sketch.sphere("a", (0, 0, 1))
    before = world.sketch.strokes
    with pytest.raises(Error, match=says):
        draw(world.sketch, box)
    assert world.sketch.strokes == before


def test_of_another_world():
    world, _ = scene()
    _, other = scene()
    with pytest.raises(Error, match="is of another"):
        world.sketch.sphere("a", (0, 0, 0), on=other)
    with pytest.raises(Error, match="show must be one of"):
        world.render(CAMERA, show="shadows")
    assert isinstance(Sphere(1.0), Sphere)
