"""Which link a frame, a joint or the model's own frame hangs on."""

from __future__ import annotations

from rbdyn.errors import SdfError
from rbdyn.io.diagnostics import did_you_mean
from rbdyn.io.numbers import shown
from rbdyn.io.sdf.node import SdfNode
from rbdyn.io.sdf.poses import MODEL, SEPARATOR


class Carriers:
    """The links of one model by what hangs on them.

    Parameters
    ----------
    model : SdfNode
        Its element.
    links : list of SdfNode
        Its links, of which the canonical one carries what does not say on what it is.
    joints : list of SdfNode
        Its joints, which are on their children.
    """

    def __init__(self, model: SdfNode, links: list[SdfNode], joints: list[SdfNode]) -> None:
        self._links = {link.name(): link for link in links}
        self._on = {frame.name(): frame.get("attached_to") or MODEL for frame in model.children("frame")}
        self._on |= {joint.name(): joint.need("child").text for joint in joints}
        self._on[MODEL] = self._canonical(model)

    def _canonical(self, model: SdfNode) -> str:
        name = model.get("canonical_link")
        if not name:
            return next(iter(self._links))
        if name not in self._links:
            raise model.error(f"canonical_link={shown(name)}: no such link{did_you_mean(name, self._links)}")
        return name

    def __contains__(self, name: str) -> bool:
        """Whether there is a link, frame or joint of that name."""
        return name in self._links or name in self._on

    def near(self, name: str, also: tuple[str, ...] = ()) -> str:
        """'; did you mean ...?' of a name that is not there, or nothing; `also` could have been meant, too."""
        if SEPARATOR in name:
            return "; frames inside models inside this one are not read"
        return did_you_mean(name, [*self._links, *self._on, *also])

    def link(self, name: str, where: str) -> str:
        """The link at the end of what `name` hangs on; those on the way hang on it from here on."""
        way: dict[str, None] = {}
        at = name
        while at not in self._links:
            if at in way:
                raise SdfError(f"{where}: frames are attached to one another in a circle, {shown(at)} among them")
            if at not in self._on:
                raise SdfError(f"{where}: {shown(at)}: no such link, joint or frame{self.near(at)}")
            way[at] = None
            at = self._on[at]
        self._on.update(dict.fromkeys(way, at))
        return at
