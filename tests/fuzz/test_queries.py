"""Some geometric queries with ties; `make fuzz` asks a million."""

import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from queries import FAMILIES
from run_queries import scene


@pytest.mark.parametrize("name", FAMILIES)
def test_answers_with_ties(name, seed):
    assert scene(name, 0, seed, rows=100) == []
