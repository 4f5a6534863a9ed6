"""Colours of the parts of a COLLADA file, for what is drawn."""

import numpy as np
import pytest

from rbdyn import io
from rbdyn.scenery import Scenery

collada = pytest.importorskip("collada")

BOX = (
    '<robot name="r"><link name="a"><visual><geometry><mesh filename="part.dae" {}/></geometry>{}</visual>'
    '<collision><geometry><mesh filename="part.dae"/></geometry></collision></link></robot>'
)


def write(path):
    """Two tetrahedra, a red and a blue one, in centimetres."""
    mesh = collada.Collada()
    mesh.assetInfo.unitname, mesh.assetInfo.unitmeter = "centimeter", 0.01
    nodes = []
    for name, color, shift in (("red", (1.0, 0.0, 0.0, 1.0), 0.0), ("blue", (0.0, 0.2, 2.0), 300.0)):
        effect = collada.material.Effect(f"{name}-effect", [], "phong", diffuse=color)
        material = collada.material.Material(f"{name}-material", name, effect)
        mesh.effects.append(effect)
        mesh.materials.append(material)
        corners = 100.0 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]) + (shift, 0, 0)
        source = collada.source.FloatSource(f"{name}-points", corners.ravel(), ("X", "Y", "Z"))
        shape = collada.geometry.Geometry(mesh, f"{name}-geometry", name, [source])
        inputs = collada.source.InputList()
        inputs.addInput(0, "VERTEX", f"#{name}-points")
        faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
        shape.primitives.append(shape.createTriangleSet(faces.ravel(), inputs, "symbol"))
        mesh.geometries.append(shape)
        bound = collada.scene.MaterialNode("symbol", material, inputs=[])
        nodes.append(collada.scene.Node(name, children=[collada.scene.GeometryNode(shape, [bound])]))
    scene = collada.scene.Scene("scene", nodes)
    mesh.scenes.append(scene)
    mesh.scene = scene
    with path.open("wb") as file:
        mesh.write(file)


@pytest.fixture
def folder(tmp_path):
    write(tmp_path / "part.dae")
    return tmp_path


def load(folder, scale="", material="", **options):
    (folder / "robot.urdf").write_text(BOX.format(scale, material))
    return io.load_urdf(folder / "robot.urdf", **{"visual_meshes": True, **options}).find_body("a")


def test_parts_have_the_colours_of_their_materials(folder):
    body = load(folder)
    red, blue = body.visual
    assert (red.name, red.color, blue.name, blue.color) == ("a/0/0", (1, 0, 0, 1), "a/0/1", (0, 0.2, 1, 1))
    assert red.shape.vertices.max() == pytest.approx(1.0) and blue.shape.vertices[:, 0].min() == pytest.approx(3.0)
    assert len(red.shape.faces) == len(blue.shape.faces) == 4
    assert len(body.collision) == 1  # which collides as before, all of it


def test_scale_is_that_of_the_robot_file(folder):
    _, blue = load(folder, 'scale="1 -2 1"').visual
    assert blue.shape.vertices[:, 1].min() == pytest.approx(-2.0)
    assert blue.shape.solid.volume == pytest.approx(2.0 / 6.0)  # and faces outwards all the same


def test_the_robot_file_s_colour_counts_more(folder):
    (whole,) = load(folder, material='<material name="m"><color rgba="0 1 0 1"/></material>').visual
    assert whole.color == (0, 1, 0, 1) and whole.name == "a/0" and len(whole.shape.faces) == 8


def test_without_visual_meshes_nothing_is_drawn_but_what_collides(folder):
    body = load(folder, visual_meshes=False)
    assert len(body.visual) == 0
    mechanism = io.load_urdf(folder / "robot.urdf", visual_meshes=True)
    assert {item.color for item in Scenery(mechanism).items} == {(1, 0, 0, 1), (0, 0.2, 1, 1)}
