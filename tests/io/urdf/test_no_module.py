"""Files that are no robots: errors name them, and quote nothing of what they hold."""

import pytest

import rbdyn
from rbdyn import io
from rbdyn.collision import HeightMap
from rbdyn.recording import load_recording
from rbdyn.world import Snapshot

ROBOT = '<robot name="r"><link name="a"/></robot>'
SECRETS = {
    "a text": b"root:x:0:0:secret\nmore secret\n",
    "behind a comment": b"<!-- c -->\n secret <b>secret</b>\n",
    "with tags": b"secret\n<link name='a'/>\n",
    "numbers": b"53.4 3 12 secret",
    "bytes": b"\x00\x01secret" + bytes(range(256)),
    "a text in UTF-16": "secret and more".encode("utf-16"),
}
READERS = {
    "module": lambda path: io.load_urdf(ROBOT, modules=[path]),
    "module, strictly": lambda path: io.load_urdf(ROBOT, modules=[path], strict=True),
    "urdf": io.load_urdf,
    "any": io.load,
    "sdf": io.load_sdf,
    "world": io.load_world,
    "materials": io.load_materials,
    "sensors": io.load_sensor_set,
    "heights": HeightMap.from_text,
    "recording": load_recording,
    "snapshot": lambda path: Snapshot.from_bytes(path.read_bytes()),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("content", SECRETS)
def test_nothing_is_quoted(tmp_path, reader, content):
    path = tmp_path / "file.txt"
    path.write_bytes(SECRETS[content])
    with pytest.raises(rbdyn.Error) as raised:
        READERS[reader](path)
    assert "secret" not in str(raised.value) and "root:x" not in str(raised.value) and "53.4" not in str(raised.value)


@pytest.mark.parametrize(
    "text", ["", "<!-- empty -->", '<?xml version="1.0"?>\n<!-- c -->\n', "<robot/>", '<!-- c --><material name="m"/>']
)
def test_modules_that_hold_little(tmp_path, text):
    """Nothing, comments alone, and elements without a root are modules."""
    path = tmp_path / "module.urdf"
    path.write_text(text)
    assert [body.name for body in io.load_urdf(ROBOT, modules=[path]).bodies] == ["world", "a"]
