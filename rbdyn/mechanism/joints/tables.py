"""Completeness of tables that have a line for each joint type."""

from __future__ import annotations

from collections.abc import Iterable

from rbdyn.errors import MechanismError
from rbdyn.mechanism.joints.joint_type import JointType


def check_table(name: str, known: Iterable[type[JointType]], types: Iterable[type[JointType]]) -> None:
    """Raise MechanismError naming the joint type and the table if a type is missing in it.

    Parameters
    ----------
    name : str
        The table, with its file.
    known, types : iterable of JointType classes
        Those in the table, and those that must be.
    """
    there = set(known)
    for cls in types:
        if cls not in there:
            raise MechanismError(f"joint type {cls.__name__} is missing in {name}; give it a line there "
                                 "(docs/extending.md)")  # fmt: skip
