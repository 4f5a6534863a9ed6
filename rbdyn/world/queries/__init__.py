"""Queries of a World: rays, distances, contacts at a pose."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any


def held_still(world: Any) -> AbstractContextManager[object]:
    """Make a context in which no thread steps or edits this World."""
    return world._queries.asking()
