"""The manual's page on mechanisms does what it says."""

import pathlib
import re

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "mechanisms.md"


def test_the_examples_run(capsys):
    """In order, in one namespace; what is said to be printed is."""
    text = PAGE.read_text()
    said = re.search(r"```text\n(.*?)```", text, re.DOTALL)[1]
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert len(blocks) > 6
    names = {}
    for block in blocks:
        exec(block, names)
    assert capsys.readouterr().out.startswith(said)


def test_every_edit_is_listed():
    """Each public method of Mechanism that returns maps."""
    from rbdyn import Mechanism

    edits = [n for n, f in vars(Mechanism).items() if n[0] != "_" and re.search("Maps|Split", str(f.__annotations__))]
    assert len(edits) == 10
    assert [n for n in edits if f"`{n}(" not in PAGE.read_text()] == []
