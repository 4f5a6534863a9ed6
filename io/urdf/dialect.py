"""Words of RaiSim's dialect of URDF, and this library's own: written and said, or left out and said."""

from __future__ import annotations

from rbdyn.io.export.losses import Losses

REFUSE = "refuse"  # urdfdom, which ROS, Pinocchio and others read with, takes no such file
IGNORE = "ignore"


class Dialect:
    """Decides on each word that standard URDF does not have.

    Parameters
    ----------
    allowed : bool
        Whether such words are written.
    losses : Losses
        Takes the words that are written, and what is left out.
    """

    def __init__(self, allowed: bool, losses: Losses) -> None:
        self.allowed, self.losses = allowed, losses

    def writes(self, what: str, name: str, others: str = IGNORE) -> bool:
        """Say that `what` of the joint, link or shape `name` is dialect.

        Parameters
        ----------
        what : str
            The kind of thing, in the plural, such as "rotor inertias".
        name : str
            Of what.
        others : {"ignore", "refuse"}
            What readers of standard URDF do with it.

        Returns
        -------
        writes : bool
            Whether to write it; if not, the loss is noted.
        """
        if self.allowed:
            self.losses.add_dialect(f"which other readers {others}: {what}", name)
        else:
            self.losses.add(f"{what}: left out", name)
        return self.allowed
