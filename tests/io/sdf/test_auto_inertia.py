"""SDF: <inertial auto="true">, against the closed forms of boxes, spheres and a tetrahedron."""

from __future__ import annotations

import numpy as np
import pytest
from reference.compare import close

import rbdyn
from rbdyn import io

BOX, BALL = "<box><size>1 2 3</size></box>", "<sphere><radius>0.5</radius></sphere>"
VOLUME = 4 / 3 * np.pi * 0.5**3  # of the ball


def read(inertial, *collisions, auto="true", **options):
    inside = "".join(f'\n<collision name="c">{c}</collision>' for c in collisions)
    m = io.load_sdf(f'<sdf version="1.11"><model name="m"><link name="a"><inertial auto="{auto}">{inertial}</inertial>'
                    f"{inside}</link></model></sdf>", **options)  # fmt: skip
    return m.find_body("a").inertia, m.diagnostics


def shape(text, density=None, pose=""):
    dense = "" if density is None else f"<density>{density}</density>"
    return f"<geometry>{text}</geometry>{dense}" + (f"<pose>{pose}</pose>" if pose else "")


@pytest.mark.parametrize(("inertial", "collision", "density"), [
    ("", shape(BOX), 1000),
    ("", shape(BOX, 500), 500),
    ("<density>200</density>", shape(BOX), 200),
    ("<density>200</density>", shape(BOX, 500), 500),
    ("<mass>12</mass>", shape(BOX, 500), 2),
])  # fmt: skip
def test_a_box_by_its_density(inertial, collision, density):
    inertia, diagnostics = read(inertial, collision)
    mass = 6 * density
    close(inertia.mass, mass, 1e-15)
    close(inertia.inertia, mass / 12 * np.diag([4 + 9, 1 + 9, 1 + 4]), 1e-14)
    assert diagnostics == []


def test_shapes_are_summed_where_they_are():
    """A box turned by a right angle at x = 1, and a ball at y = 2, by the parallel axes."""
    inertia, diagnostics = read("", shape(BOX, 100, "1 0 0 0 0 1.5707963267948966"), shape(BALL, 300, "0 2 0 0 0 0"))
    M, m = 600, 300 * VOLUME
    com = np.array([M, 2 * m, 0]) / (M + m)
    close(inertia.mass, M + m, 1e-15)
    close(inertia.com, com, 1e-14)
    about = M / 12 * np.diag([1 + 9, 4 + 9, 4 + 1]) + 0.4 * m * 0.25 * np.eye(3)
    for mass, at in ((M, (1, 0, 0)), (m, (0, 2, 0))):
        r = at - com
        about = about + mass * (r @ r * np.eye(3) - np.outer(r, r))
    close(inertia.inertia, about, 1e-14)
    assert diagnostics == []


TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 0 0 3\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"
SLOPE = "f 1 4 3\n"
MESH = "<mesh><uri>t.obj</uri><scale>2 1 1</scale></mesh>"


@pytest.mark.parametrize("collision_mesh", ["hull", "triangles", "skip"])
def test_meshes_by_what_they_enclose(collision_mesh, tmp_path):
    """A right tetrahedron of legs 2, 2, 3, mass V rho: about its corner the integrals of x^2 and x y are m a^2 / 10 and
    m a b / 20."""
    (tmp_path / "t.obj").write_text(TETRAHEDRON + SLOPE)
    inertia, _ = read("", shape(MESH, 100), base_dir=tmp_path, collision_mesh=collision_mesh)
    mass, legs = 100 * 2 * 2 * 3 / 6, np.array([2, 2, 3])
    close(inertia.mass, mass, 1e-14)
    close(inertia.com, legs / 4, 1e-14)
    second = mass * (np.outer(legs, legs) / 20 + np.diag(legs**2) / 20)
    second = second - mass * np.outer(legs, legs) / 16
    close(inertia.inertia, np.trace(second) * np.eye(3) - second, 1e-13)


def test_meshes_that_enclose_nothing(tmp_path):
    (tmp_path / "t.obj").write_text(TETRAHEDRON)
    with pytest.raises(rbdyn.SdfError, match=r"^<text>:2: .*<inertial auto> of link 'a': the mesh is not closed"):
        read("", shape(MESH), base_dir=tmp_path)


DEFAULT = "<inertial auto> of link 'a': no <collision> of it has a volume; SDF's default of 1 kg and 1 kg m^2 is taken"
LEFT = "<collision> 'a/0' is left out of the <inertial auto> of its link, which needs solids: "


@pytest.mark.parametrize(("collision", "why"), [
    (shape("<plane/>"), "a plane is none"),
    (shape(MESH), "its mesh is not found"),
    (shape("<polyline/>"), "its shape is not read"),
])  # fmt: skip
def test_what_is_no_solid_is_said(collision, why):
    """Alone, the link has SDF's default; beside others it counts as nothing."""
    inertia, diagnostics = read("", collision)
    assert (inertia.mass, inertia.inertia.tolist()) == (1, np.eye(3).tolist())
    assert f"<text>:2: {LEFT}{why}" in diagnostics
    assert f"<text>:1: {DEFAULT}" in diagnostics
    inertia, diagnostics = read("", collision, shape(BOX))
    close(inertia.mass, 6000, 1e-15)
    assert f"<text>:2: {LEFT}{why}" in diagnostics


def test_links_without_shapes():
    for collisions in ((), (shape("<empty/>"),)):
        inertia, diagnostics = read("", *collisions)
        assert (inertia.mass, diagnostics) == (1, [f"<text>:1: {DEFAULT}"])
    inertia, diagnostics = read("", shape("<empty/>"), shape(BOX))
    assert (inertia.mass, diagnostics) == (6000, [])


def test_what_is_given_and_not_needed_is_said():
    inertia, diagnostics = read("<pose>1 0 0 0 0 0</pose><inertia><ixx>9</ixx></inertia>", shape(BOX))
    assert (inertia.mass, inertia.com.tolist()) == (6000, [0, 0, 0])
    assert [line.partition(": ")[2] for line in diagnostics] == [
        f"<{tag}> of an <inertial auto> is not read; left out" for tag in ("pose", "inertia")]  # fmt: skip
    inertia, diagnostics = read("<mass>2</mass><density>3</density>", shape(BOX, 4), auto="false")
    assert inertia.mass == 2
    assert [line.partition(": ")[2] for line in diagnostics] == [
        f'<density> in <{tag}> is read with <inertial auto="true"> alone; left out' for tag in ("inertial", "collision")
    ]


BAD = {
    "density": (("", shape(BOX, -1)), {}, ":2: .*density must be"),
    "infinite": (("", shape(BOX, "inf")), {}, ":2: .*density must be"),
    "mass": (("<mass>-1</mass>", shape(BOX)), {}, ":1: <inertial>: mass must be"),
    "nothing": (("<mass>1</mass>", shape(BOX, 0)), {}, ":1: <inertial>: <mass> of shapes that all have the density"),
    "auto": (("", shape(BOX)), {"auto": "yes"}, ":1: <inertial>: auto='yes' must be true or false"),
    "strict": (("", shape("<plane/>")), {"strict": True}, "a plane is none .strict=True"),
    "missing": (("", shape(MESH)), {"on_missing_mesh": "error"}, "t.obj"),
}


@pytest.mark.parametrize(("words", "options", "said"), BAD.values(), ids=BAD)
def test_bad_values(words, options, said):
    with pytest.raises(rbdyn.Error, match=said):
        read(*words, **options)
