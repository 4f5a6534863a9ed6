"""Every public name has a docstring, and every function's docstring names all of its parameters."""

import importlib.util
import inspect
import re

import pytest

import rbdyn
import rbdyn.contact

PACKAGES = (
    *("rbdyn", "rbdyn.batch", "rbdyn.collision", "rbdyn.contact", "rbdyn.io", "rbdyn.models", "rbdyn.parallel"),
    *("rbdyn.recording", "rbdyn.scenery", "rbdyn.sensors", "rbdyn.testing", "rbdyn.viewer", "rbdyn.world"),
    *(["rbdyn.gym"] if importlib.util.find_spec("gymnasium") else []),
)


def public_names(module):
    """What `__all__` lists, or what is public and made here or below."""
    if hasattr(module, "__all__"):
        return module.__all__
    made_here = (n for n, x in vars(module).items() if getattr(x, "__module__", "").startswith(module.__name__))
    return [n for n in made_here if n[0] != "_"]


def home(thing, fallback):
    """Where a class or a function is defined: one name for it, however many packages export it."""
    return f"{thing.__module__}.{thing.__qualname__}" if hasattr(thing, "__qualname__") else fallback


OBJECTS = {
    home(thing, f"{package}.{name}"): thing
    for package in PACKAGES
    for name in public_names(importlib.import_module(package))
    if callable(thing := getattr(importlib.import_module(package), name))
}
CLASSES = {
    home(base, ""): base
    for cls in OBJECTS.values()
    if inspect.isclass(cls)
    for base in cls.__mro__
    if base.__module__.startswith("rbdyn")
}
MEMBERS = {f"{owner}.{n}": x for owner, cls in CLASSES.items() for n, x in vars(cls).items() if n[0] != "_"}


def is_property(member):
    """Properties in Python, and in compiled classes, but not the slots of plain attributes."""
    return isinstance(member, property) or type(member).__name__ in ("getset_descriptor", "cached_property")


def function_of(member):
    """The function behind a method or a function, or None."""
    member = getattr(member, "__func__", member)
    if inspect.isclass(member) or is_property(member) or not callable(member):
        return None
    return member


FUNCTIONS = {name: f for name, x in (OBJECTS | MEMBERS).items() if (f := function_of(x)) is not None}


def parameters(function):
    """Names of the parameters that a caller gives."""
    return [n for n in inspect.signature(function).parameters if n not in ("self", "cls")]


def names(doc, parameter):
    """Whether a docstring names a parameter as a word of its own."""
    return re.search(rf"(?<![\w.]){re.escape(parameter)}(?!\w)", doc) is not None


def body_of(doc):
    """A docstring without the signature that the compiler may put on its first line."""
    first, _, rest = doc.partition("\n")
    return rest if re.match(r"^[\w.]+\(.*\)( -> .*)?$", first) else doc


def test_there_is_something_to_read():
    assert {rbdyn.Model, rbdyn.forward_dynamics, rbdyn.contact.ContactSolver} <= set(OBJECTS.values())
    assert {"rbdyn.model.model.Model.neutral", "rbdyn.model.state.State.q"} <= set(MEMBERS)
    assert "about" in parameters(rbdyn.angular_momentum)


@pytest.mark.parametrize("name", OBJECTS | CLASSES)
def test_public_name_has_a_docstring(name):
    assert body_of((OBJECTS | CLASSES)[name].__doc__ or "").strip()


@pytest.mark.parametrize("name", [n for n, x in MEMBERS.items() if is_property(x) or n in FUNCTIONS])
def test_public_member_has_a_docstring(name):
    member = MEMBERS[name]
    doc = inspect.getdoc(getattr(member, "__func__", member)) or ""
    if not doc and type(member).__name__ == "getset_descriptor":  # a read-only attribute of a compiled class
        owner, _, attribute = name.rpartition(".")
        doc = body_of(inspect.getdoc(CLASSES[owner]) or "")
        assert names(doc, attribute), f"the docstring of {owner} does not list the attribute {attribute}"
    assert body_of(doc).strip()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_docstring_names_every_parameter(name):
    doc = body_of(inspect.getdoc(FUNCTIONS[name]) or "")
    if name in MEMBERS:  # a method may take its class's parameters again
        doc += CLASSES[name.rpartition(".")[0]].__doc__ or ""
    missing = [p for p in parameters(FUNCTIONS[name]) if not names(doc, p)]
    assert not missing, f"{name} does not say what {', '.join(missing)} is"


@pytest.mark.parametrize("name", [n for n, cls in CLASSES.items() if cls.__name__[0] != "_"])
def test_class_docstring_names_every_parameter(name):
    cls = CLASSES[name]
    if issubclass(cls, BaseException):
        return
    try:
        wanted = parameters(cls)
    except (ValueError, TypeError):  # compiled: no signature at run time
        wanted = []
    doc = body_of(inspect.getdoc(cls) or "")
    missing = [p for p in wanted if p not in ("args", "kwargs") and not names(doc, p)]
    assert not missing, f"{name} does not say what {', '.join(missing)} is"
