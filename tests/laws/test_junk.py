"""Every public call with arguments that make no sense: an rbdyn.Error, or TypeError, or it means something after all.

The calls are generated from the public names.  Arguments are called as the parameters of the signatures are; of those
that make a good call, each in turn is replaced by junk.
"""

import inspect
from pathlib import Path

import numpy as np
import pytest

import rbdyn
from rbdyn import collision, contact, io, models

JUNK = {
    "None": lambda: None,
    "object": object,
    "text": lambda: "x",
    "np.str_": lambda: np.str_("x"),
    "empty text": lambda: "",
    "bytes": lambda: b"\xff",
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "huge": lambda: 10**400,
    "negative": lambda: -1,
    "complex": lambda: 1 + 2j,
    "complex array": lambda: np.ones(3, complex),
    "masked": lambda: np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False]),
    "long": lambda: [0.0] * 100_000,
    "ragged": lambda: [[1.0], [1.0, 2.0]],
    "objects": lambda: np.array([object(), None, "x"], dtype=object),
    "nested": lambda: [[[[[]]]]],
    "dict": lambda: {"x": object()},
    "set": lambda: {1.0, 2.0},
    "type": lambda: int,
    "function": lambda: lambda *a, **k: None,
    "generator": lambda: (k for k in [object()]),
    "long text": lambda: "x" * 100_000,
    "surrogate": lambda: "\ud800",
    "huge array": lambda: np.full(3, 1e308),
}

ALLOWED = (rbdyn.Error, TypeError, MemoryError)
SKIPPED = {"check_collision_backend", "check_contact_solver"}  # run the laws of a backend: minutes


@pytest.fixture(autouse=True)
def a_folder_of_its_own(tmp_path, monkeypatch):
    """What a call takes for the name of a file is written there."""
    monkeypatch.chdir(tmp_path)


def chain():
    return rbdyn.rand_chain_mechanism([rbdyn.Revolute, rbdyn.Spherical, rbdyn.Prismatic], seed=3)


def state():
    m = chain()
    s = rbdyn.State(rbdyn.Model(m))
    s.set(s.model.random(1), np.ones(s.model.nv))
    return s


def copied(file):
    """A file of that content in the present folder: some calls write to the path that they are given."""
    Path(file.name).write_bytes(file.read_bytes())
    return Path(file.name).absolute()


GOOD = {  # what a sensible call has for a parameter of that name, made anew for every call
    "state": lambda s: s,
    "model": lambda s: s.model,
    "mechanism": lambda s: s.model.mechanism,
    "q": lambda s: np.array(s.q),
    "q0": lambda s: np.array(s.q),
    "q1": lambda s: np.array(s.q),
    "q_init": lambda s: np.array(s.q),
    "body": lambda s: s.model.mechanism.bodies[-1].name,
    "bodies": lambda s: [s.model.mechanism.bodies[-1].name],
    "v": lambda s: np.ones(s.model.nv),
    "vd": lambda s: np.ones(s.model.nv),
    "tau": lambda s: np.ones(s.model.nv),
    "x": lambda s: np.ones(s.model.nv),
    "b": lambda s: np.ones(s.model.nv),
    "dt": lambda _: 0.01,
    "base": lambda _: "world",
    "relative_to": lambda _: "world",
    "relative": lambda _: "world",
    "expressed_in": lambda _: "world",
    "point": lambda _: [0.1, 0.2, 0.3],
    "points": lambda _: [[0.0, 0.0, 0.0]],
    "targets": lambda _: [[0.1, 0.2, 0.3]],
    "duration": lambda _: 0.01,
    "time_step": lambda _: 0.001,
    "axis": lambda _: [0.0, 0.0, 1.0],
    "name": lambda _: "other",
    "root_body": lambda _: rbdyn.RigidBody("root"),
    "seed": lambda _: 1,
    "rng": lambda _: 1,
    "types": lambda _: [rbdyn.Revolute],
    "radius": lambda _: 0.1,
    "length": lambda _: 0.3,
    "height": lambda _: 0.3,
    "mass": lambda _: 1.0,
    "size": lambda _: [0.1, 0.2, 0.3],
    "inertia": lambda _: np.eye(3),
    "com": lambda _: [0.0, 0.0, 0.0],
    "shape": lambda _: collision.Sphere(0.1),
    "joint_type": lambda _: rbdyn.Revolute(),
    "joint": lambda _: "joint1",
    "frame": lambda _: rbdyn.CartesianFrame("f"),
    "angular": lambda _: [1.0, 2.0, 3.0],
    "linear": lambda _: [1.0, 2.0, 3.0],
    "n": lambda _: 2,
    "vertices": lambda _: np.random.default_rng(1).normal(size=(9, 3)),
    "predecessor": lambda s: s.model.mechanism.bodies[-1].name,
    "successor": lambda _: rbdyn.RigidBody("more"),
    "position": lambda _: [0.0, 0.0, 3.0],
    "quat": lambda _: [1.0, 0.0, 0.0, 0.0],
    "columns": lambda _: [0],
    "values": lambda _: np.ones((6, 1)),
    "faces": lambda _: [[0, 1, 2]],
    "p": lambda _: [0.1, 0.2, 0.3],
    "axes": lambda _: np.eye(3),
    "limits": lambda _: (0.0, 1.0),
    "what": lambda _: "q",
    "path": lambda _: copied(models.path("quadruped")),
    "source": lambda _: models.path("double_pendulum"),
    "path_or_text": lambda _: str(models.path("double_pendulum")),
    "friction": lambda _: 0.5,
    "a": lambda _: "default",
    "geometries": lambda _: [rbdyn.Geometry(collision.Sphere(0.1))],
}


def functions():
    """Name -> callable, for what is public in the packages."""
    found = {}
    for module in (rbdyn, collision, contact, io, rbdyn.spatial, rbdyn.testing, rbdyn.spatial.rotations):
        names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
        for name in names:
            thing = getattr(module, name)
            if callable(thing) and name not in SKIPPED and not is_error(thing):
                found.setdefault(name, thing)
    return found


def is_error(thing):
    return isinstance(thing, type) and issubclass(thing, Exception)


def signature(function):
    try:
        return inspect.signature(function)
    except (TypeError, ValueError):
        return inspect.Signature()


def attempts(function):
    """(description, arguments) of calls with one argument of junk, the others sensible or left out."""
    parameters = [p for p in signature(function).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    for bad in parameters:
        for junk, make in JUNK.items():
            needed = [p for p in parameters if p is bad or p.default is p.empty]
            s = state() if len(needed) > 1 else None
            args, kwargs = [], {}
            for p in needed:
                value = make() if p is bad else GOOD.get(p.name, lambda _: 1.0)(s)
                if p.kind is p.POSITIONAL_ONLY:
                    args.append(value)
                else:
                    kwargs[p.name] = value
            yield f"{bad.name}={junk}", args, kwargs


def complaints(name, function):
    """Calls that end in another error than they should, or in a long message."""
    found = []
    for what, args, kwargs in attempts(function):
        try:
            function(*args, **kwargs)
        except ALLOWED as error:
            if len(str(error)) > 2000:
                found.append(f"{name}({what}): a message of {len(str(error))} characters")
        except Exception as error:
            found.append(f"{name}({what}): {type(error).__name__}: {str(error)[:100]}")
    return found


def world():
    w = rbdyn.World(1e-3)
    w.add_ground()
    w.add_sphere(0.1, 1.0, name="ball").set_pose((0, 0, 0.1))
    w.add_articulated_system(models.double_pendulum(), name="arm")
    w.step()
    return w


INSTANCES = {  # name -> one of each public class whose methods take arguments
    "State": state,
    "Model": lambda: state().model,
    "Mechanism": chain,
    "Joint": lambda: chain().joints[0],
    "RigidBody": lambda: chain().bodies[1],
    "Transform": lambda: rbdyn.Transform(rpy=(0.1, 0.2, 0.3), translation=(1, 2, 3)),
    "SpatialInertia": lambda: rbdyn.SpatialInertia(1.0, (0.1, 0, 0), np.eye(3)),
    "World": world,
    "ArticulatedSystem": lambda: world().objects[2],
    "SingleBody": lambda: world().objects[1],
    "NativeBackend": collision.NativeBackend,
    "FCLBackend": collision.FCLBackend,
    "BisectionSolver": contact.BisectionSolver,
    "PGSSolver": contact.PGSSolver,
    **{kind.__name__: kind for kind in rbdyn.testing.random_mechanisms.ALL_TYPES},
}


def methods(name):
    """Names of public methods of an instance."""
    thing = type(INSTANCES[name]())
    return [m for m in dir(thing) if not m.startswith("_") and inspect.isroutine(getattr(thing, m))]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", INSTANCES)
def test_junk_for_methods(name):
    found = []
    for method in methods(name):
        thing = INSTANCES[name]()
        found += complaints(f"{name}.{method}", getattr(thing, method))
    assert not found, "\n".join(found)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", functions())
def test_junk_for_functions(name):
    found = complaints(name, functions()[name])
    assert not found, "\n".join(found)
