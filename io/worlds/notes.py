"""What a file says of a World for other programs, kept beside the World."""

from __future__ import annotations

from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from rbdyn.world import World


@dataclass
class WorldNotes:
    """What a world file says that does not act here; `save_world` writes it back.

    Parameters
    ----------
    file : str
        The file; "<text>" if it came as text, "" if the World came from no file.
    cameras : list of dict
        Attributes of each <camera>, such as follow, x, y and z.
    appearances : dict
        Object name -> what it looks like.
    diagnostics : list of str
        What the reader assumed or left out, each with file:line.
    """

    file: str = ""
    cameras: list[dict[str, str]] = field(default_factory=list)
    appearances: dict[str, str] = field(default_factory=dict)
    diagnostics: list[str] = field(default_factory=list)


_notes: WeakKeyDictionary[World, WorldNotes] = WeakKeyDictionary()


def world_notes(world: World) -> WorldNotes:
    """What the file of a World says beside physics; empty notes, to be filled in, for one that came from no file.

    Parameters
    ----------
    world : World
        Any World.

    Returns
    -------
    notes : WorldNotes
        Kept as long as the World.

    Examples
    --------
    >>> notes = world_notes(rbdyn.World())
    >>> notes.cameras.append({"follow": "robot", "x": "2"})
    """
    return _notes.setdefault(world, WorldNotes())
