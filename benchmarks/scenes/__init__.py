"""World steps: speed and quality of whole scenes, beside MuJoCo."""

from benchmarks.scenes.contest import SCENES, run

__all__ = ["SCENES", "run"]
