"""Settings of a World: <gravity>, <timestep>, <erp>, and <settings>, this project's own."""

from __future__ import annotations

from typing import Any

from rbdyn.contact import BisectionSolver, PGSSolver
from rbdyn.errors import Error
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.export.losses import Losses
from rbdyn.io.export.xml_text import element
from rbdyn.io.numbers import number
from rbdyn.io.worlds.item import Item
from rbdyn.world import World

STEPS = ("timestep", "timeStep", "time_step")
TIME_STEP = 0.005  # RaiSim's [s]
SOLVERS = {"bisection": BisectionSolver, "pgs": PGSSolver}
BACKENDS = ("native", "fcl", "coal")
PLAIN = ("contact_slop", "contact_margin", "sleep_time", "sleep_speed")


def make_world(root: Item, diagnostics: Diagnostics) -> World:
    """An empty World with the settings of a file."""
    words: dict[str, Any] = {"time_step": TIME_STEP}
    node = root.child(*STEPS)
    if node is not None:
        words["time_step"] = node.number("value")
        node.check(diagnostics)
    gravity = root.child("gravity")
    if gravity is not None:
        words["gravity"] = gravity.vector("value", 3)
        gravity.check(diagnostics)
    own = root.child("settings")
    if own is not None:
        words["substeps"] = own.whole("substeps", 1)
        words["collision"] = own.get("collision")
    try:
        world = World(**words)
        if own is not None:
            _read_own(own, world)
    except Error as error:
        raise (own or node or root).error(error) from None
    for tag, solver in (("contact_solver", world.contact), ("position_solver", world.position_solver)):
        _read_solver(root.child(tag), solver, diagnostics)
    erp = root.child("erp")
    if erp is not None:
        try:
            world.set_erp(erp.number("erp", world.erp[0]), erp.number("erp2", 0.0))
        except Error as error:
            raise error if ": <" in str(error) else erp.error(error) from None
        erp.check(diagnostics)
    if own is not None:
        own.check(diagnostics)
    return world


def _read_own(own: Item, world: World) -> None:
    if (scheme := own.get("integrator")) is not None:
        world.integrator = scheme  # type: ignore[assignment]
    for name in PLAIN:
        if own.get(name) is not None:
            setattr(world, name, own.number(name))
    world.sleeping = own.flag("sleeping", False)
    own.get("time")  # said for readers: the clock of a World goes back only by its solver state
    own.get("steps")


def _read_solver(item: Item | None, solver: Any, diagnostics: Diagnostics) -> None:
    if item is None:
        return
    kind = item.text("kind", "bisection")
    if kind != "bisection":
        raise item.error(f"kind={kind!r}: a World from a file has the solver 'bisection'")
    known = solver.parameters
    values: dict[str, Any] = {}
    for name, present in known.items():
        text = item.get(name)
        if text is not None:
            values[name] = _parameter(item, name, text, present)
    try:
        solver.configure(**values)
    except Error as error:
        raise item.error(error) from None
    item.check(diagnostics)


def _parameter(item: Item, name: str, text: str, present: Any) -> Any:
    """A parameter of a solver: a number, true or false, a word, or "none"."""
    if text == "none":
        return None
    if isinstance(present, bool):
        return item.flag(name)
    if isinstance(present, int):
        return item.whole(name)
    try:
        return number(text)
    except Error:
        if isinstance(present, str):
            return text
    return item.number(name)  # which says what is wrong


def write_settings(root: Any, world: World, losses: Losses) -> None:
    """All of them."""
    element(root, "gravity", value=world.gravity)
    element(root, "timestep", value=float(world.time_step))
    erp, erp2 = world.erp
    element(root, "erp", erp=erp, erp2=erp2)
    backend = type(world.collision).__name__
    name = next((n for n in BACKENDS if backend.lower() == f"{n}backend"), None)
    if name is None:
        losses.add("a collision backend of one's own: it has the native one", backend)
    plain = {key: float(getattr(world, key)) for key in PLAIN if key != "contact_margin"}
    element(root, "settings", integrator=world.integrator, substeps=world.substeps, collision=name or "native",
            contact_margin=float(world.contact_margin), sleeping=bool(world.sleeping), **plain,
            time=float(world.time), steps=int(world.steps))  # fmt: skip
    for tag, solver in (("contact_solver", world.contact), ("position_solver", world.position_solver)):
        if type(solver) is not BisectionSolver:
            losses.add(f"a {tag} other than the bisection solver: it has that", type(solver).__name__)
            continue
        usual = (BisectionSolver() if tag == "contact_solver" else World().position_solver).parameters
        changed = {key: value for key, value in solver.parameters.items() if value != usual[key]}
        if changed:
            words = {key: "none" if value is None else value for key, value in changed.items()}
            element(root, tag, kind="bisection", **words)
