"""Some wrong inputs for every reader, and those that once went wrong; `make fuzz` tries a million."""

import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
pytest.importorskip("collada", reason="pycollada is not installed")
pytest.importorskip("trimesh", reason="trimesh is not installed")
pytest.importorskip("PIL", reason="Pillow is not installed")
from mutate import mutant
from readers import READERS, Folder, ask
from seeds import SEEDS

COUNT = 15 * int(os.environ.get("SEEDS", "4"))
ONCE_WRONG = [  # reader, input
    ("dae", SEEDS["dae"][0].replace(b"<vcount>4</vcount>", b"<vcount>2000000000</vcount>")),
    ("dae", SEEDS["dae"][0].replace(b'<node id="o">', b'<node id="o"><instance_node url="#o"/>')),
    ("dae", SEEDS["dae"][0].replace(b"1 0 0 1 0 1 0 2", b"1e300 1e300 0 1 1e300 1e300 0 2")),
    ("stl", SEEDS["stl"][0].replace(b"vertex 0 0 0", b"vertex " + b"9" * 100_000 + b" 0 0")),
    ("expression", b"{9**9**9}"),
    ("obj", SEEDS["obj"][0] + b"f 1 2\n"),
]


@pytest.fixture(scope="module")
def folder():
    with Folder() as made:
        yield made


@pytest.mark.parametrize("reader", READERS)
def test_right_inputs_are_read(reader, folder):
    for data in SEEDS[reader]:
        assert ask(reader, data, folder) == "read"


@pytest.mark.parametrize("reader", READERS)
def test_wrong_inputs(reader, folder):
    answers = {ask(reader, mutant(reader, 0, number), folder) for number in range(COUNT)}
    assert answers == {"read", "refused"}


@pytest.mark.parametrize(("reader", "data"), ONCE_WRONG)
def test_what_once_went_wrong(reader, data, folder):
    ask(reader, data, folder)
