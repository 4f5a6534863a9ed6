"""What to write in place of attributes that people guess: said by the AttributeError of objects, handles and Worlds."""

from __future__ import annotations

from typing import Any, NoReturn

_NAMED = "names are fixed: they are what things are asked for by"
_BALL_POSE = "obj.set_pose(position, orientation)"
_BALL_SPEED = "obj.set_velocity(linear, angular)"
_MATERIAL = "world.set_material_pair(a, b, friction, restitution), of the names of two materials"
_MOVES = "it moves with its robot: robot.joint(name).q = ..., robot.set_state(q, v)"
_GAINS = "robot.set_pd_gains(p, d), robot.set_pd_gains(joints={name: (p, d)})"
_TARGET = "robot.set_pd_target(q, v), robot.set_pd_target(joints={name: q})"
_STATE = "robot.set_state(q, v); q or v alone may be given"
_FORCE = "robot.set_generalized_force(tau), robot.set_generalized_force(joints={name: tau})"
_BACKEND = "give it to World(...) when that is made"


def _table(advice: dict[str, str]) -> dict[str, str]:
    """Advice for each of the names that stand together in a key."""
    return {name: text for names, text in advice.items() for name in names.split()}


OBJECT = _table({"name": _NAMED, "friction restitution": _MATERIAL, "gravity": "world.gravity = (0, 0, -9.81)"})
REF = _table({"name": _NAMED, "robot": "a handle belongs to its robot"})
MOVING = _table({"position orientation rotation pose velocity linear_velocity angular_velocity": _MOVES})
JOINT = _table({
    "position angle configuration": "joint.q = ... sets its coordinate",
    "velocity": "joint.v = ... sets its velocity",
    "acceleration": "joint.a is the one of the latest step, and forces make it: joint.force = ...",
    "a": "forces make it: joint.force = ...",
    "torque effort tau applied_force": "joint.force = ... is the feed-forward force",
    "p d kp kd pd_gains": "joint.gains = (p, d)",
    "pd_target setpoint": "joint.target = ..., joint.target_velocity = ...",
    "lower upper position_limits limit": "joint.limits = (lower, upper)",
    "softness limit_softness": "joint.set(limit_softness=(softness, damping))",
    "effort_limit": "joint.effort_limits = limit, or (lower, upper)",
    "armature": "joint.rotor_inertia = ...",
    "control_mode": "it is the robot's: robot.control_mode = ...",
    "axis": "it is where the robot is now; joint.local_axis = ... sets it in the joint's own frames",
    "pose": "it is where the robot is now; joint.placement = Transform(...) moves it on its predecessor",
    "mimic": "joint.set(mimic=Mimic(leader, multiplier, offset))",
    "joint_type": "robot.replace_joint(name, Joint(...))",
})
BODY = _table({
    "friction": "geometry.material = name, then " + _MATERIAL,
    "material": "it is the shapes': for shape in body.geometries: shape.material = name",
    "force external_force": "body.set_external_force(force)",
    "torque external_torque": "body.set_external_torque(torque)",
    "geometries": "body.add_geometry(Geometry(...)), geometry.remove()",
    "spatial_inertia": "body.set_inertia(mass, com, inertia)",
    "placement": "its joint's: body.joint.placement = Transform(...)",
})
FRAME = _table({"placement": "frames are fixed to their bodies: robot.mechanism.find_body(name).add_frame(name, pose)"})
GEOMETRY = _table({
    "friction": "geometry.material = name, then " + _MATERIAL,
    "restitution": "geometry.material = name, then " + _MATERIAL,
    "pose position orientation": "geometry.placement = Transform(...), on its body",
    "radius size length scale": "geometry.shape = Sphere(0.1), with the new sizes",
    "color": "geometry.set(color=...)",
    "body": "geometry.remove(), other_body.add_geometry(...)",
})
ROBOT = _table({
    "q v velocity generalized_coordinate generalized_velocity": _STATE,
    "position": "robot.base_position = ..., robot.body(name).position",
    "orientation": "robot.base_orientation = ..., robot.body(name).orientation",
    "pose base_pose": "robot.set_base_pose(position, orientation)",
    "pd_gains gains kp kd p d": _GAINS,
    "pd_target target": _TARGET,
    "generalized_force torque tau effort applied_force": _FORCE,
    "acceleration": "forces make it: " + _FORCE,
    "effort_limits effort_limit": "robot.set_effort_limits(lower, upper)",
    "joint_limits limits": "robot.set_joint_limits(lower, upper)",
    "joint_damping damping": "robot.set_joint_damping(damping)",
    "joint_friction": "robot.set_joint_friction(friction)",
    "joint_springs springs stiffness": "robot.set_joint_springs(stiffness, reference)",
    "velocity_limits": "robot.set_velocity_limits(limits)",
    "friction": "robot.set_joint_friction(friction) in joints; in contacts " + _MATERIAL,
    "rotor_inertia": "robot.joint(name).rotor_inertia = ...",
    "mass": "robot.total_mass; robot.body(name).mass = ...",
    "kinetic_energy potential_energy energy": "rbdyn.kinetic_energy(robot), rbdyn.potential_energy(robot)",
    "momentum linear_momentum": "rbdyn.momentum(robot)",
    "com center_of_mass": "rbdyn.center_of_mass(robot)",
    "mass_matrix": "rbdyn.mass_matrix(robot)",
    "material": "robot.geometry(name).material = ...",
    "state": _STATE,
    "body_type": "what holds a robot is its base joint: add_articulated_system(..., floating=False)",
    "mechanism": "world.remove(robot), world.add_articulated_system(mechanism)",
})
BALL = _table({
    "position orientation rotation pose": _BALL_POSE,
    "linear_velocity angular_velocity velocity": _BALL_SPEED,
    "material group mask radius size shape": "obj.set_geometry(0, shape=..., material=..., group=..., mask=...)",
    "geometries": "obj.add_geometry(...), obj.set_geometry(0, ...), obj.remove_geometry(0)",
    "com": "obj.set_inertia(com=...)",
    "force": "obj.set_external_force(0, force)",
    "torque": "obj.set_external_torque(0, torque)",
})
WORLD = _table({
    "time": "it is counted: world.step(n), world.reset(), world.restore(snapshot)",
    "steps": "they are counted: world.step(n)",
    "dt timestep": "world.time_step = ...",
    "erp": "world.set_erp(erp, erp2)",
    "friction restitution": "world.set_default_material(friction, restitution), " + _MATERIAL,
    "slop": "world.contact_slop = ...",
    "margin": "world.contact_margin = ...",
    "collision contact position_solver": _BACKEND,
    "solver": "world.contact; " + _BACKEND,
    "materials": _MATERIAL,
    "objects": "world.add_sphere(...), world.remove(obj)",
    "contacts": "they are found by steps; world.ignore_collision(a, b)",
})
WIRE = _table({
    "name": _NAMED,
    "stiffness damping wire_type": "wires are made with it: world.remove(wire), world.add_compliant_wire(...)",
    "force tension": "world.add_custom_wire(...) has a law of yours",
})


UNSET = ("not writable", "no setter", "has no attribute", "can't set")  # what Python says of what cannot be set


def no_setter(obj: Any, name: str, error: AttributeError) -> NoReturn:
    """Setting attribute `name` of `obj` raised `error`: AttributeError that says what to write."""
    if not any(words in str(error) for words in UNSET):
        raise error
    why = "cannot be set" if hasattr(type(obj), name) else "is no attribute"
    raise AttributeError(f"{name!r} of {type(obj).__name__} {why}{_hint(obj, name)}", name=name, obj=obj) from None


def no_attribute(obj: Any, name: str) -> NoReturn:
    """AttributeError for an attribute that is not there, with what to write."""
    hint = "" if name.startswith("_") else _hint(obj, name)
    raise AttributeError(f"{type(obj).__name__!r} object has no attribute {name!r}{hint}", name=name, obj=obj)


def _hint(obj: Any, name: str) -> str:
    advice: str | None = next((table[name] for table in type(obj)._advice if name in table), None)
    return "" if advice is None else f"; {advice}"
