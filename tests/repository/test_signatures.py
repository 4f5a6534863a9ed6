"""Compiled classes and functions show their arguments, and nothing else stands in their docstrings."""

import inspect
import re

import pytest

import rbdyn
from rbdyn import collision, contact

MADE_BY_RBDYN = {collision.CollisionScene, contact.ContactView}  # never called
PUBLIC = {
    f"{module.__name__}.{name}": getattr(module, name)
    for module in (rbdyn, collision, contact)
    for name in module.__all__
    if callable(getattr(module, name)) and getattr(module, name) not in MADE_BY_RBDYN
}
PUBLIC = {n: thing for n, thing in PUBLIC.items() if not (isinstance(thing, type) and issubclass(thing, Exception))}
CLASSES = [name for name, thing in PUBLIC.items() if isinstance(thing, type)]


def test_the_classes_asked_for_most():
    assert str(inspect.signature(rbdyn.Model)) == "(mechanism)"
    assert str(inspect.signature(rbdyn.State)) == "(model)"
    assert str(inspect.signature(rbdyn.World)).startswith("(time_step=0.002, gravity=(0.0, 0.0, -9.81), ")
    assert str(inspect.signature(contact.PGSSolver)).startswith("(max_iterations=1000, *, threshold=1e-08, ")


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_thing_has_a_signature(name):
    thing = PUBLIC[name]
    signature = inspect.signature(thing)
    assert not {"args", "kwargs"} & set(signature.parameters)
    first = (thing.__doc__ or "").strip().split("\n")[0]
    assert not re.match(rf"{re.escape(thing.__name__)}\(", first), "a signature in the docstring"


@pytest.mark.parametrize("name", CLASSES)
def test_every_documented_parameter_of_a_class_is_in_its_signature(name):
    thing = PUBLIC[name]
    section = re.search(r"Parameters\n-+\n(.*?)(?:\n\n\w+\n-+\n|\Z)", inspect.getdoc(thing) or "", re.DOTALL)
    if section is None:
        return
    documented = [
        name.strip(" *") for names in re.findall(r"^(\S.*?) : ", section[1], re.M) for name in names.split(",")
    ]
    assert documented and set(documented) <= set(inspect.signature(thing).parameters)


def test_a_subclass_has_its_own():
    class Mine(contact.PGSSolver):
        def __init__(self, gain):
            super().__init__()

    class Plain(contact.PGSSolver):
        pass

    assert str(inspect.signature(Mine)) == "(gain)"
    assert inspect.signature(Plain) == inspect.signature(contact.PGSSolver)


def test_help_reads_well():
    text = inspect.getdoc(rbdyn.World)
    assert text.startswith("A place where mechanisms") and "--\n" not in text.split("Parameters")[0]
    import pydoc

    shown = pydoc.plain(pydoc.render_doc(rbdyn.World))
    assert "class World(" in shown and "World(time_step=0.002, gravity=(0.0, 0.0, -9.81)" in shown
    assert re.search(r"step\(self, n=1\)", shown)


def test_lazy_modules_are_listed():
    assert {"io", "models", "collision", "contact", "errors", "World"} <= set(dir(rbdyn))
    assert dir(rbdyn) == sorted(set(dir(rbdyn)))
