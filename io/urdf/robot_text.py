"""What a robot was read from, at hand when it is loaded."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from rbdyn.errors import PathError
from rbdyn.io.diagnostics import Diagnostics
from rbdyn.io.safe_xml import parse_xml
from rbdyn.io.templates import Template
from rbdyn.io.urdf.source import Source, parse_fragment


@dataclass(frozen=True)
class Description:
    """The text that a robot was read from, its files and folders: `Mechanism.description`.

    Parameters
    ----------
    source : Source
        Its own text.
    modules : tuple of Source
        Those of its modules.
    params : tuple of pairs of str, or None
        What filled the template; None if it is none.
    folder : Path or None
        The folder that what it names is relative to: the file's, or `base_dir` of a text.
    resource_dirs : tuple of Path
        As they were given.
    links, joints : dict
        Name -> "file:line".
    """

    source: Source
    modules: tuple[Source, ...] = ()
    params: tuple[tuple[str, str], ...] | None = None
    folder: Path | None = None
    resource_dirs: tuple[Path, ...] = ()
    links: dict[str, str] = field(default_factory=dict, repr=False)
    joints: dict[str, str] = field(default_factory=dict, repr=False)

    @property
    def path(self) -> Path | None:
        """The file, as an absolute path; None if it came as text."""
        return None if self.source.path is None else self.source.path.absolute()

    @property
    def file_name(self) -> str:
        """The file's name, such as "robot.urdf"; empty if it came as text."""
        return "" if self.source.path is None else self.source.path.name

    @property
    def top_directory(self) -> str:
        """Name of the folder that the file lies in; empty if there is none."""
        return "" if self.folder is None else self.folder.absolute().name

    @property
    def resource_directory(self) -> Path | None:
        """The first of `resource_dirs`, or else the folder."""
        return self.resource_dirs[0] if self.resource_dirs else self.folder

    @property
    def text(self) -> str:
        """The robot description: the file's text, or with modules and parameters the URDF that comes of them."""
        if not self.modules and self.params is None:
            return self.source.text
        from lxml import etree

        unheard = Diagnostics()
        root = parse_xml(self.source.data, self.source.name, unheard)
        roots = [root, *(parse_fragment(module, unheard) for module in self.modules)]
        if self.params is not None:
            for source, one in zip((self.source, *self.modules), roots, strict=True):
                Template(self.params).fill_tree(one, source.name)
        for one in roots[1:]:
            root.extend(list(one))
        return str(etree.tostring(root, encoding="unicode", pretty_print=True))

    @property
    def generated_name(self) -> str:
        """The name that RaiSim gives to a URDF made with modules: generated_ROBOT_MODULE[_MODULE...].urdf."""
        stems = [(source.path.stem if source.path else "text") for source in (self.source, *self.modules)]
        return f"generated_{'_'.join(stems)}.urdf"

    def write_generated(self, folder: str | os.PathLike[str] | None = None) -> Path:
        """Write `text` to a file called `generated_name`, and nothing else: loading never writes.

        Parameters
        ----------
        folder : path-like, optional
            Where; the robot's own folder by default, where what it names is found.  A file of that name is replaced.

        Returns
        -------
        path : Path
            The file.

        Raises
        ------
        PathError
            If there is no folder, or the file cannot be written.
        """
        place = self.folder if folder is None else Path(folder)
        if place is None:
            raise PathError("write_generated: this robot came as text and has no folder; give one")
        path = place / self.generated_name
        try:
            path.write_text('<?xml version="1.0" encoding="UTF-8"?>\n' + _body(self.text), encoding="utf-8")
        except (OSError, ValueError) as error:
            raise PathError(f"cannot write {str(path)!r}: {getattr(error, 'strerror', None) or error}") from None
        return path


def _body(text: str) -> str:
    """Without its XML declaration, which may name another encoding."""
    text = text.lstrip("\ufeff \t\r\n")
    return text[text.index("?>") + 2 :].lstrip() if text.startswith("<?xml") and "?>" in text else text
