"""Options by name: one that is misspelt is an error of ours that names the choices."""

import inspect

import pytest

import rbdyn
from rbdyn import io, models
from rbdyn.arguments import named_options
from rbdyn.errors import Error, UnknownNameError

LINK = '<robot name="r"><link name="a"/></robot>'
SDF = '<sdf version="1.9"><model name="m"><link name="a"/></model></sdf>'
WORLD = '<raisim version="1.0"></raisim>'
CALLS = {
    "load": (lambda **x: io.load(LINK, **x), "colision_mesh", "collision_mesh"),
    "load_urdf": (lambda **x: io.load_urdf(LINK, **x), "visual_mesh", "visual_meshes"),
    "load_mjcf": (lambda **x: io.load_mjcf("<mujoco/>", **x), "resource_dir", "resource_dirs"),
    "load_sdf": (lambda **x: io.load_sdf(SDF, **x), "modell", "model"),
    "load_xacro": (lambda **x: io.load_xacro("a.xacro", **x), "joint_oder", "joint_order"),
    "load_world": (lambda **x: io.load_world(WORLD, **x), "parms", "params"),
    "load_materials": (lambda **x: io.load_materials("<material/>", **x), "strickt", "strict"),
    "load_mesh": (lambda **x: io.load_mesh("a.stl", **x), "pathh", "path"),
    "urdf_text": (lambda **x: io.urdf_text(models.quadruped(), **x), "stric", "strict"),
    "mjcf_text": (lambda **x: io.mjcf_text(models.quadruped(), **x), "actuator", "actuators"),
    "add": (lambda **x: rbdyn.World().add_articulated_system(LINK, **x), "collision_meshes", "collision_mesh"),
}


@pytest.mark.parametrize("name", CALLS)
def test_misspelt_options_of_files(name):
    call, wrong, right = CALLS[name]
    with pytest.raises(UnknownNameError, match=f"no option named '{wrong}' in .*; did you mean .*'{right}'.*Known: "):
        call(**{wrong: 1})


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".html", ".gif", ".png"])
def test_misspelt_options_of_recordings(suffix, tmp_path):
    world = rbdyn.World()
    world.add_sphere(0.1, 1.0)
    recording = world.record()
    for _ in range(3):
        world.step()
    with pytest.raises(Error, match=r"no option named 'heigth' in (a film|Recording\.save\(\) to )"):
        recording.save(tmp_path / f"a{suffix}", heigth=3)
    assert not list(tmp_path.iterdir())


def test_what_is_decorated_keeps_its_signature_and_its_own_errors():
    @named_options
    def f(a: int, *, b: int = 2) -> int:
        """Say."""
        return a + b

    assert f(1, b=4) == 5
    assert str(inspect.signature(f)) == "(a: int, *, b: int = 2) -> int"
    assert f.__doc__ == "Say."
    with pytest.raises(UnknownNameError, match=r"no option named 'c' in f\(\); known: a, b"):
        f(1, c=3)
    with pytest.raises(TypeError, match="missing"):
        f()
