"""Lets the tests of this folder import collision_scenes (the root folder `collision` takes the shorter name)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
