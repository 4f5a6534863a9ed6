"""<key> -> the configuration in which a robot begins."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np

from rbdyn.arguments import shown
from rbdyn.errors import Error, MjcfError, unknown_name
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.mjcf.text import Key
from rbdyn.io.numbers import number

NOMINAL = "nominal"  # what this library calls the one that it writes
FREE, BALL = 0, 1  # mjtJoint


def chosen_key(keys: list[Key], wanted: str | None, file: str, diagnostics: Diagnostics) -> Key | None:
    """The <key> that is asked for, or the one called "nominal"; what is not taken is reported.

    Raises
    ------
    UnknownNameError
        If there is none of the name `wanted`.
    """
    named = {key.name: key for key in keys}
    if wanted is not None and wanted not in named:
        raise unknown_name("keyframe", wanted, named, file)
    others = [key for key in keys if key.name != (wanted or NOMINAL)]
    if others and wanted is None:
        names = ", ".join(shown(key.name) for key in others[:10])
        text = f"keyframes {names}: load_mjcf(..., keyframe={others[0].name!r:.80}) lets the robot begin there"
        diagnostics.warn(others[0].place, text, "keyframes")
    return named.get(wanted or NOMINAL)


def configuration_of(key: Key, model: Any) -> tuple[float, ...]:
    """The qpos of a <key>, its quaternions of unit length; qpos0 if it says none.

    Raises
    ------
    MjcfError
        If it has another number of numbers than the model, or a quaternion is none.
    """
    if key.qpos is None:
        return tuple(map(float, model.qpos0))
    words = re.split(r"[\s,]+", key.qpos.strip())
    if len(words) != model.nq:
        raise MjcfError(f"{key.place}: <key> {shown(key.name)}: qpos has {len(words)} numbers, needed {model.nq}")
    try:
        q = np.array([number(word) for word in words])
    except Error as error:
        raise MjcfError(f"{key.place}: <key> {shown(key.name)}: qpos={error}") from None
    for j in range(model.njnt):
        kind, at = int(model.jnt_type[j]), int(model.jnt_qposadr[j])
        if kind in (FREE, BALL):
            quat = q[at + 3 : at + 7] if kind == FREE else q[at : at + 4]
            size = math.hypot(*quat)
            if not 1e-6 < size < 1e6:
                raise MjcfError(f"{key.place}: <key> {shown(key.name)}: a quaternion of qpos is zero (or huge)")
            if abs(size - 1.0) > 1e-15:  # those of unit length stay as they are
                quat /= size
    return tuple(q.tolist())
