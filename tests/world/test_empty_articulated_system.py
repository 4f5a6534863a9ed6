"""ArticulatedSystem.__new__(ArticulatedSystem) crashes the process."""

import subprocess
import sys

import pytest

HAMMER = """
import sys, numpy as np
from rbdyn.world import World, SingleBody, ArticulatedSystem, WorldObject
from rbdyn.errors import Error
KIND = {"World": World, "SingleBody": SingleBody, "ArticulatedSystem": ArticulatedSystem, "WorldObject": WorldObject}
thing = KIND[sys.argv[1]].__new__(KIND[sys.argv[1]])
x3 = (0.0, 0.0, 1.0)
ARGS = [(), (x3,), (x3, x3), (1.0, 1.0), ("base", x3), (1,), (0.1, 0.1, 1.0), ("a", "b", 0.5), (thing,)]
unkind = []
for name in sorted(dir(type(thing))):
    if name.startswith("__") and name not in ("__repr__", "__reduce__"):
        continue
    for args in ARGS:
        try:
            value = getattr(thing, name)
            if callable(value):
                value(*args)
            elif args:
                setattr(thing, name, args[0])
        except (Error, TypeError) as problem:
            pass
        except AttributeError as problem:
            if "NoneType" in str(problem):
                unkind.append(f"{name}{args}: {problem}")
repr(thing)
print("alive", *unkind, sep="\\n")
"""


@pytest.mark.parametrize("kind", ["ArticulatedSystem", "World"])
def test_an_empty_object_raises_and_does_not_crash(kind):
    done = subprocess.run([sys.executable, "-c", HAMMER, kind], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr[-2000:]
    assert done.stdout.split() == ["alive"], done.stdout
