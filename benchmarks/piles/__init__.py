"""Things that tumble, in rbdyn and in its peers: processor time a step, with the quality that goes with it."""

from benchmarks.piles.contest import run

__all__ = ["run"]
