"""<option> and <flag> of a compiled MuJoCo model: gravity, and a line for what acts there and not here."""

from __future__ import annotations

from typing import Any

import numpy as np

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.spatial.rotations import Array

PHYSICS = ("constraint", "equality", "frictionloss", "limit", "passive", "spring", "damper", "clampctrl",
           "filterparent", "actuation")  # fmt: skip  # flags that change forces; the others are of the solver
USUAL: dict[str, tuple[float, ...]] = {  # of what does not act here
    "density": (0.0,),
    "viscosity": (0.0,),
    "wind": (0.0, 0.0, 0.0),
    "magnetic": (0.0, -0.5, 0.0),
}


def gravity_of(model: Any) -> Array:
    """The gravity that acts [m/s^2]: none where a flag switches it off."""
    return np.zeros(3) if is_off(model, "gravity") else np.array(model.opt.gravity)


def report_options(model: Any, diagnostics: Diagnostics, file: str) -> None:
    """A line for each flag that switches off what acts here, and for each option of what does not act here."""
    for name in PHYSICS:
        if is_off(model, name):
            text = f'<flag {name}="disable"> is not read; what it switches off in MuJoCo acts here'
            diagnostics.warn(f"{file}:1", text)
    if model.opt.enableflags & _bit("Enable", "mjENBL_OVERRIDE"):
        diagnostics.warn(f"{file}:1", '<flag override="enable"> is not read; contacts are those of their geoms')
    groups = int(getattr(model.opt, "disableactuator", 0))
    if groups:
        listed = " ".join(str(group) for group in range(31) if groups >> group & 1)
        text = f'<option actuatorgroupdisable="{listed}"> is not read; actuators of these groups are read as all others'
        diagnostics.warn(f"{file}:1", text)
    for name, usual in USUAL.items():
        value = tuple(np.ravel(getattr(model.opt, name)).tolist())
        if value != usual:
            said = " ".join(f"{x:.9g}" for x in value)
            diagnostics.warn(f"{file}:1", f'<option {name}="{said}"> is not read; left out')


def is_off(model: Any, flag: str) -> bool:
    """Test a flag of <option> for "disable"."""
    return bool(model.opt.disableflags & _bit("Disable", f"mjDSBL_{flag.upper()}"))


def _bit(kind: str, name: str) -> int:
    """The bit of a flag, 0 in versions of MuJoCo that have none of the name."""
    import mujoco

    members = getattr(mujoco, f"mjt{kind}Bit").__members__
    return int(members[name]) if name in members else 0
