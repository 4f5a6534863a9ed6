"""Which compiled kernels are used: the widest that the processor has, or what RBDYN_ISA says."""

from __future__ import annotations

import importlib
import importlib.util
import os
from functools import cache
from typing import Any

from rbdyn.arguments import shown
from rbdyn.batch.processor import instructions
from rbdyn.errors import Error

MODULES = {"avx2": "lanes4_avx2", "scalar": "lanes1"}


@cache
def available() -> tuple[str, ...]:
    """Instruction sets that can be used here, the one that is used first.

    Returns
    -------
    names : tuple of str
        Of "avx2" and "scalar".
    """
    return tuple(name for name in (*instructions(), "scalar") if _has(name))


def _has(name: str) -> bool:
    return importlib.util.find_spec(f"rbdyn.batch.{MODULES[name]}") is not None


def isa() -> str:
    """Which instruction set is used: the widest there is, or what RBDYN_ISA says; results do not differ."""
    there, forced = available(), os.environ.get("RBDYN_ISA")
    if forced is None:
        return there[0]
    if forced not in there:
        raise Error(f"RBDYN_ISA must be one of {', '.join(there)} on this machine, got {shown(forced)}")
    return forced


@cache
def lanes_of(name: str) -> Any:
    """The module of an instruction set."""
    return importlib.import_module(f"rbdyn.batch.{MODULES[name]}")
