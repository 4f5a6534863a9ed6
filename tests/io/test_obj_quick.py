"""Plain OBJ files are read as tables, and as all others are read: the same numbers, or none."""

import random

import numpy as np
import pytest

from rbdyn.errors import MeshError
from rbdyn.io.meshes import obj
from rbdyn.io.meshes.obj_quick import read_plain

TETRAHEDRON = (
    b"# a\no name\nv 0 0 0\nv 1 0 0.5\nvn 0 0 1\nv 0 1e-1 0\r\nv 0 0 +1.\ng\ns off\n\nf 1 3 2\nf 1 2 4\nf 2 3 4\n"
)
CORNERS = TETRAHEDRON.replace(b"f 1 3 2", b"f 1/1/1 3//2 2/5").replace(b"f 2 3 4", b"f 2/ 3// 4/1/")
QUADS = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\nv 0 0 1\nf 1 2 3 5\n"
SEEDS = (TETRAHEDRON, CORNERS, QUADS)
TOKENS = (b"-1", b"0", b"9", b"1e999", b"nan", b"1_0", b".", b"-", b"e5", b"1-2", b"1.2.3", b"/", b"//", b" ", b"\t",
          b"\n", b"#", b"f ", b"v ", b"f", b"v", b"vn ", b"g", b"\\\n", b"\xc3\xa4", b"\x1c", b"\x0b", b"00000000001",
          b"w 1")  # fmt: skip


def slowly(data):
    """Without the tables; None for a file that is refused."""
    before, obj.read_plain = obj.read_plain, lambda *_: None
    try:
        return obj.read_obj(data, "a.obj")
    except MeshError:
        return None
    finally:
        obj.read_plain = before


def quickly(data):
    return read_plain(data, obj.PASSED_OVER, obj.MAX_LINE)


@pytest.mark.parametrize("data", SEEDS)
def test_plain_files(data):
    quick, slow = quickly(data), slowly(data)
    for a, b in zip(quick, slow, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype and a.shape == b.shape


def test_quads_become_fans():
    assert quickly(QUADS)[1].tolist() == [[0, 1, 2], [0, 2, 3], [0, 1, 2], [0, 2, 4]]


def test_mutants_are_read_alike_or_left_alone():
    rng = random.Random(0)
    read = left = 0
    for _ in range(4000):
        data = rng.choice(SEEDS)
        for _ in range(rng.choice((1, 1, 2))):
            at = rng.randrange(len(data))
            data = data[:at] + rng.choice(TOKENS) + data[at + rng.choice((0, 0, 1, 2)) :]
        quick = quickly(data)
        if quick is None:
            left += 1
            continue
        slow = slowly(data)
        assert slow is not None, data
        for a, b in zip(quick, slow, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=str(data))
        read += 1
    assert read > 500 and left > 500


def test_what_is_not_plain_is_left_alone():
    for face in (b"f 1 3 -1", b"f 1 3 5", b"f 1 3 2 4 1", b"f 1 3"):
        assert quickly(TETRAHEDRON.replace(b"f 1 3 2", face)) is None
    assert quickly(TETRAHEDRON.replace(b"v 1 0", b"v 1e999 0")) is None
    assert quickly(b"f 1 2 3\n" + TETRAHEDRON) is None  # of vertices that come later
    assert quickly(b"v 0 0 0\n") is None
    assert quickly(b"# " + b"x" * (obj.MAX_LINE + 1) + b"\n" + TETRAHEDRON) is None
