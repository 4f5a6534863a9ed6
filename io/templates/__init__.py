"""Templates of robot, world and material files: @@name and {expression}, filled in, never executed."""

from rbdyn.io.templates.expression import evaluate
from rbdyn.io.templates.template import Template

__all__ = ["Template", "evaluate"]
