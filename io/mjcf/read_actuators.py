"""Actuators of a compiled MuJoCo model -> effort limits, and gains of servos.

An actuator at joint j gives it gear * f, f = gain * u + bias, where u is its control (or what its dynamics make of
that), l = gear * q the length that it sees, and bias = b0 + b1 l + b2 l'.  So a servo's gains at the joint are
p = -b1 gear^2 and d = -b2 gear^2.  <motor>, <position>, <velocity> and the others are kinds of this one.  Whatever its
kind, an actuator's armature and damping are gear^2 times as much at the joint.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from rbdyn.arguments import shown
from rbdyn.errors import Error
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mjcf.read_joints import coefficients, report_polynomial
from rbdyn.io.numbers import number
from rbdyn.mechanism.joint import Joint
from rbdyn.mechanism.mechanism import Mechanism
from rbdyn.spatial.rotations import Array

SERVO = "servo"  # the annotation of a joint that has one
JOINT, IN_PARENT = 0, 1  # mjtTrn
CONSTANT, NO_BIAS, AFFINE, AT_ONCE = 0, 0, 1, 0  # mjtGain, mjtBias, mjtDyn
FILTERS = (2, 3)  # mjtDyn
Range = tuple[float, float]
UNBOUNDED: Range = (-math.inf, math.inf)


def read_actuators(model: Any, joints: list[Joint], diagnostics: Diagnostics, file: str) -> None:
    """Give joints the effort limits and the gains that their actuators say.

    Parameters
    ----------
    model : mujoco.MjModel
        Compiled.
    joints : list of Joint
        MuJoCo's, in its order; those with actuators of which gains are read get the annotation "servo".
    diagnostics : Diagnostics
        Takes what is left out.
    file : str
        For diagnostics.
    """
    efforts: dict[int, Range] = {}
    gains: dict[int, tuple[float, float]] = {}
    for k in range(getattr(model, "nactuator", model.nu)):
        j = int(model.actuator_trnid[k, 0])
        name = model.actuator(k).name or f"{joints[j].name}, without a name"
        _read_passive(model, k, joints[j], name, diagnostics, file)
        said = _not_read(model, k, joints[j])
        if said:
            diagnostics.warn(f"{file}:1", f"actuator {name!r}: {said}; left out", f"actuator {said}")
            efforts[j] = UNBOUNDED
            continue
        if model.actuator_dyntype[k] != AT_ONCE:
            text = f"actuator {name!r}: that its control acts through a filter or an integrator is left out"
            diagnostics.warn(f"{file}:1", text, "actuator dynamics")
        if _delay(model, k):
            text = f"actuator {name!r}: that its control acts {_delay(model, k):.9g} s late is left out"
            diagnostics.warn(f"{file}:1", text, "actuator delay")
        p, d = _gains(model, k)
        if p or d:
            before = gains.get(j, (0.0, 0.0))
            gains[j] = before[0] + p, before[1] + d
        low, high = _efforts(model, k, p != 0.0 or d != 0.0)
        before = efforts.get(j, (0.0, 0.0))
        efforts[j] = before[0] + low, before[1] + high
    for j, (p, d) in gains.items():
        joints[j].annotations = joints[j].annotations | {SERVO: {"p": repr(p), "d": repr(d)}}
    for j, joint in enumerate(joints):
        _limit(joint, _own_range(model, j), efforts.get(j, UNBOUNDED), diagnostics, file)


def _read_passive(model: Any, k: int, joint: Joint, name: str, diagnostics: Diagnostics, file: str) -> None:
    """Add an actuator's armature and damping to its joint's; versions of MuJoCo before 4 have none."""
    if not hasattr(model, "actuator_armature"):
        return
    armature, damping = float(model.actuator_armature[k]), coefficients(model, "actuator_damping", k)
    if not armature and not any(damping):
        return
    if joint.num_velocities != 1:
        text = f"armature and damping of actuator {name!r}, on a ball or free joint, are not read; left out"
        diagnostics.warn(f"{file}:1", text)
        return
    squared = float(model.actuator_gear[k, 0]) ** 2
    joint.rotor_inertia += squared * armature
    joint.damping += squared * damping[0]
    report_polynomial(damping, f"damping of actuator {name!r}", diagnostics, file)


def _delay(model: Any, k: int) -> float:
    """How late its control acts [s]; 0 in versions of MuJoCo that know none."""
    return float(model.actuator_delay[k]) if hasattr(model, "actuator_delay") else 0.0


def _own_range(model: Any, j: int) -> Range:
    """What `actuatorfrcrange` of a joint lets actuators give."""
    low, high = model.jnt_actfrcrange[j].tolist() if model.jnt_actfrclimited[j] else UNBOUNDED
    return low, high


def _limit(joint: Joint, own: Range, given: Range, diagnostics: Diagnostics, file: str) -> None:
    """Give a joint the effort limit of what its actuators give, cut to what it takes: the larger of both ends."""
    low, high = (min(max(x, own[0]), own[1]) for x in given)
    effort = max(abs(low), abs(high))
    if effort == 0.0 and given == (0.0, 0.0):  # actuators that do nothing say nothing of the joint
        low, high, effort = *own, max(map(abs, own))
    if not math.isfinite(effort):
        return
    joint.effort_limit = effort
    if low != -high:
        text = f"joint {joint.name!r}: efforts from {low:.9g} to {high:.9g} become the limit {effort:.9g} both ways"
        diagnostics.warn(f"{file}:1", text)


def servo_gains(mechanism: Mechanism) -> tuple[Array, Array]:
    """Stiffnesses and dampings of the servos that an MJCF file gives its joints, <position> and <velocity>.

    Parameters
    ----------
    mechanism : Mechanism
        Such as `load_mjcf` reads.

    Returns
    -------
    p, d : (nv,) ndarray
        [N m/rad or N/m], [N m s/rad or N s/m], for ``robot.set_pd_gains(p, d)``; 0 where a joint has none.

    Raises
    ------
    Error
        If it is no Mechanism, or the annotation "servo" of one of its joints does not hold two gains.

    Examples
    --------
    >>> m = load_mjcf('<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody>'
    ...               '<actuator><position joint="j" kp="50" kv="2"/></actuator></mujoco>')
    >>> servo_gains(m)
    (array([50.]), array([2.]))
    """
    import numpy as np

    if not isinstance(mechanism, Mechanism):
        raise Error(f"mechanism must be a Mechanism, such as load_mjcf reads, got {shown(mechanism)}")
    p, d, at = np.zeros(mechanism.num_velocities), np.zeros(mechanism.num_velocities), 0
    for joint in mechanism.tree_joints:
        servo = joint.annotations.get(SERVO)
        if servo is not None and joint.num_velocities == 1:
            p[at], d[at] = (_gain(joint, servo, name) for name in ("p", "d"))
        at += joint.num_velocities
    return p, d


def _gain(joint: Joint, servo: Mapping[str, str], name: str) -> float:
    """One of both; users and files may have written the annotation, too."""
    try:
        value = number(servo.get(name, ""))
    except Error:
        value = -1.0
    if value < 0.0:
        need = f"must hold p and d, finite and not negative, got {shown(dict(servo))}"
        raise Error(f"joint {joint.name!r}: annotation {SERVO!r} {need}")
    return value


def _not_read(model: Any, k: int, joint: Joint) -> str:
    """Why an actuator is none that has gains and limits here; "" if it is one."""
    if model.actuator_trntype[k] not in (JOINT, IN_PARENT) or joint.num_velocities != 1:
        return "on a ball or free joint is not read"
    if model.actuator_gaintype[k] != CONSTANT or model.actuator_biastype[k] not in (NO_BIAS, AFFINE):
        return "neither a motor nor a servo, and not read"
    if model.actuator_biastype[k] == AFFINE:
        b0, b1, b2 = model.actuator_biasprm[k, :3].tolist()
        if b0 != 0.0 or b1 > 0.0 or b2 > 0.0:
            return "with a constant force or gains below 0 is not read"
    return ""


def _gains(model: Any, k: int) -> tuple[float, float]:
    """p and d at the joint."""
    if model.actuator_biastype[k] != AFFINE:
        return 0.0, 0.0
    gear = float(model.actuator_gear[k, 0])
    return tuple(abs(float(b)) * gear * gear for b in model.actuator_biasprm[k, 1:3])  # type: ignore[return-value]


def _efforts(model: Any, k: int, servo: bool) -> Range:
    """The least and the largest force that it gives the joint; infinite where nothing bounds it."""
    low, high = UNBOUNDED
    kind = int(model.actuator_dyntype[k])
    if kind in FILTERS or kind == AT_ONCE:  # what comes out of a filter stays within what goes in
        at = int(model.actuator_ctrladr[k]) if hasattr(model, "actuator_ctrladr") else k
        if model.actuator_ctrllimited[at]:
            low, high = model.actuator_ctrlrange[at].tolist()
    if kind != AT_ONCE and model.actuator_actlimited[k]:
        least, most = model.actuator_actrange[k].tolist()
        low, high = max(low, least), min(high, most)
    low, high = UNBOUNDED if servo else _scaled((low, high), float(model.actuator_gainprm[k, 0]))
    if model.actuator_forcelimited[k]:
        least, most = model.actuator_forcerange[k].tolist()
        low, high = (min(max(x, least), most) for x in (low, high))
    return _scaled((low, high), float(model.actuator_gear[k, 0]))


def _scaled(ends: Range, factor: float) -> Range:
    """A range times a factor, which may turn it round; 0 if the factor is."""
    low, high = sorted(x * factor if factor else 0.0 for x in ends)
    return low, high
