"""The version of an SDF file: what some words mean depends on it."""

from __future__ import annotations

import re

from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.numbers import shown
from rbdyn.io.sdf.node import SdfNode

NEWEST = (1, 12)
AXES_IN_JOINT = (1, 5)  # before it axes are in the frame of the model
EXPRESSED_IN = (1, 7)  # before it <use_parent_model_frame> says so
Version = tuple[int, int]


def version_of(root: SdfNode, diagnostics: Diagnostics) -> Version:
    """(major, minor) of <sdf version>; the newest if it does not say, which is said."""
    text = root.get("version")
    if text is None:
        diagnostics.warn(root.where, "<sdf> without its version; it is read as one of "
                         f"{'.'.join(map(str, NEWEST))}")  # fmt: skip
        return NEWEST
    found = re.fullmatch(r"([0-9]{1,4})\.([0-9]{1,4})(?:\.[0-9]{1,4})?", text.strip())
    if found is None:
        raise root.error(f"version={shown(text)}: needed two numbers, such as 1.9")
    version = int(found[1]), int(found[2])
    if version > NEWEST:
        diagnostics.warn(root.where, f"<sdf version={shown(text)}> is newer than {'.'.join(map(str, NEWEST))}, "
                         "as which it is read")  # fmt: skip
    return version
