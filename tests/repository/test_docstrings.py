"""Every public name has a docstring, and every function's docstring names all of its parameters."""

import importlib.util
import inspect
import re

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


def test_public_names_have_docstrings():
    assert [name for name, thing in (OBJECTS | CLASSES).items() if not body_of(thing.__doc__ or "").strip()] == []


def has_docstring(name):
    """Whether a member has one of its own, or its class's names it: a read-only attribute of a compiled class."""
    member = MEMBERS[name]
    doc = inspect.getdoc(getattr(member, "__func__", member)) or ""
    if not doc and type(member).__name__ == "getset_descriptor":
        owner, _, attribute = name.rpartition(".")
        return names(body_of(inspect.getdoc(CLASSES[owner]) or ""), attribute)
    return bool(body_of(doc).strip())


def test_public_members_have_docstrings():
    members = [name for name, member in MEMBERS.items() if is_property(member) or name in FUNCTIONS]
    assert len(members) > 500
    assert [name for name in members if not has_docstring(name)] == []


def unnamed(name):
    """Parameters of a function that its docstring does not name."""
    doc = body_of(inspect.getdoc(FUNCTIONS[name]) or "")
    if name in MEMBERS:  # a method may take its class's parameters again
        doc += CLASSES[name.rpartition(".")[0]].__doc__ or ""
    return [p for p in parameters(FUNCTIONS[name]) if not names(doc, p)]


def test_docstrings_name_every_parameter():
    assert {name: missing for name in FUNCTIONS if (missing := unnamed(name))} == {}


def unnamed_of_class(cls):
    """Parameters of a class that its docstring does not name."""
    try:
        wanted = parameters(cls)
    except (ValueError, TypeError):  # compiled: no signature at run time
        wanted = []
    doc = body_of(inspect.getdoc(cls) or "")
    return [p for p in wanted if p not in ("args", "kwargs") and not names(doc, p)]


def test_class_docstrings_name_every_parameter():
    public = {n: cls for n, cls in CLASSES.items() if cls.__name__[0] != "_" and not issubclass(cls, BaseException)}
    assert {name: missing for name, cls in public.items() if (missing := unnamed_of_class(cls))} == {}
