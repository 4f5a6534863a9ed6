"""<articulated_system>: a robot by its file or its <mechanism>, its state and its control."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.errors import Error, FileError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown
from rbdyn.io.paths import FileFinder
from rbdyn.io.safe_xml import MAX_BYTES
from rbdyn.io.urdf.load import load_urdf
from rbdyn.io.worlds.expand import SCOPE
from rbdyn.io.worlds.item import Item
from rbdyn.io.worlds.mechanisms import read_mechanism
from rbdyn.io.worlds.odd_joints import TAGS as ODD
from rbdyn.io.worlds.odd_joints import read_loop_softness, read_odd_joints
from rbdyn.io.worlds.shapes import read_pose
from rbdyn.mechanism import Mechanism
from rbdyn.world import World

OPTIONS = ("self_collision", "loop_constraints", "collide_with_parent", "contacts_per_self_pair")
SETTINGS = {  # attribute of <joint_settings> -> (method, argument)
    "lower_limits": ("set_joint_limits", "lower"),
    "upper_limits": ("set_joint_limits", "upper"),
    "limit_restitution": ("set_joint_limits", "restitution"),
    "limit_softness": ("set_limit_softness", "softness"),
    "limit_softness_damping": ("set_limit_softness", "damping"),
    "mimic_softness": ("set_mimic_softness", "softness"),
    "mimic_softness_damping": ("set_mimic_softness", "damping"),
    "velocity_limits": ("set_velocity_limits", "limit"),
    "no_load_speeds": ("set_no_load_speeds", "speed"),
    "friction": ("set_joint_friction", "friction"),
    "static_friction": ("set_joint_friction", "static"),
    "damping": ("set_joint_damping", "damping"),
    "stiffness": ("set_joint_springs", "stiffness"),
    "spring_reference": ("set_joint_springs", "reference"),
}


def read_robot(item: Item, world: World, finder: FileFinder, diagnostics: Diagnostics, options: dict[str, Any]) -> Any:
    """Add the robot of an <articulated_system>."""
    mechanism = _mechanism(item, finder, diagnostics, options)
    words: dict[str, Any] = {"name": item.get("name")}
    for name in OPTIONS:
        if item.get(name) is not None:
            if name == "loop_constraints":
                words[name] = item.text(name)
            else:
                words[name] = item.whole(name) if name == "contacts_per_self_pair" else item.flag(name)
    for word, name in (("group", "collision_group"), ("mask", "collision_mask")):
        if item.get(name) is not None:
            words[word] = item.bits(name, 0)
    robot = world.add_articulated_system(mechanism, **words)
    _place(item, robot, diagnostics)
    _control(item, robot, diagnostics)
    read_odd_joints(item, robot, diagnostics)
    item.check(diagnostics, "mechanism", "state", "control", "joint_settings", "base", *ODD)
    return robot


def _mechanism(item: Item, finder: FileFinder, diagnostics: Diagnostics, options: dict[str, Any]) -> Mechanism:
    inside, path = item.child("mechanism"), item.get("urdf_path")
    if (inside is None) == (path is None):
        raise item.error("give urdf_path, or a <mechanism> inside")
    if inside is not None:
        return read_mechanism(inside, finder, diagnostics)
    folder = item.get("res_dir")
    try:
        file = finder.find(path)  # type: ignore[arg-type]
        folders = [] if not folder else [finder.find(folder)]
        given = dict(options)
        scopes = given.pop("scopes", ())
        given["resource_dirs"] = [*folders, *given.get("resource_dirs", ())]
        scope = item.element().get(SCOPE)
        if scope is not None and b"@@" in finder.read(file, MAX_BYTES):
            given["params"] = scopes[int(scope)].all_values
            scopes[int(scope)].use_all()
        mechanism = load_urdf(file, text=False, **given)
    except FileError as error:
        raise type(error)(f"{item.where}: <{item.tag}>: {error}") from None
    for line in mechanism.diagnostics:
        if "params" in given and ": params: " in line:  # the World's, which are not all meant for this robot
            continue
        diagnostics.warn(item.where, f"robot {shown(path or '')}: {line}")
    return mechanism


def _place(item: Item, robot: Any, diagnostics: Diagnostics) -> None:
    """<base pos quat> of a fixed base, then <state qpos qvel>."""
    base = item.child("base")
    if base is not None:
        pose = read_pose(base)
        robot.set_base_pose(pose.translation, pose.rotation)
        base.check(diagnostics)
    soft = read_loop_softness(item, robot)
    state = item.child("state")
    if state is None:
        return
    q, v = state.numbers("qpos"), state.numbers("qvel")
    state.check(diagnostics)
    try:
        if soft and q is not None:  # what gives way is open, and is not brought together
            robot.state.set(q, robot.v if v is None else v)
        else:
            robot.set_state(q, v)
            if q is not None and not robot.model.has_loops:
                robot.state.set(q)  # joints that follow others are where they were, and not moved to their places
    except Error as error:
        raise state.error(error) from None


def _control(item: Item, robot: Any, diagnostics: Diagnostics) -> None:
    """<control> and <joint_settings>: this project's own."""
    node = item.child("control")
    if node is not None:
        p, d = node.numbers("p"), node.numbers("d")
        q, v = node.numbers("target_q"), node.numbers("target_v")
        tau, mode = node.numbers("force"), node.get("mode")
        lower, upper = node.numbers("lower_effort"), node.numbers("upper_effort")
        try:
            if p is not None or d is not None or node.get("limits") is not None:
                robot.set_pd_gains(p, d, node.get("limits"))
            if q is not None or v is not None:
                robot.set_pd_target(q, v)
            if tau is not None:
                robot.set_generalized_force(tau)
            if mode is not None:
                robot.control_mode = mode
            if lower is not None or upper is not None:
                robot.set_effort_limits(lower, upper)
        except Error as error:
            raise node.error(error) from None
        node.check(diagnostics)
    node = item.child("joint_settings")
    if node is not None:
        calls: dict[str, dict[str, Any]] = {}
        for name, (method, argument) in SETTINGS.items():
            numbers = node.numbers(name)
            if numbers is not None:
                calls.setdefault(method, {})[argument] = np.array(numbers)
        try:
            for method, arguments in calls.items():
                getattr(robot, method)(**arguments)
        except Error as error:
            raise node.error(error) from None
        node.check(diagnostics)
