"""The pages on robot files name every element and attribute that the reader knows."""

import re
from pathlib import Path

import pytest

from rbdyn.io.meshes.load import READERS
from rbdyn.io.urdf.joints import KINDS
from rbdyn.io.urdf.vocabulary import KNOWN, SENSOR_SET

DOCS = Path(__file__).resolve().parents[3] / "docs"


def rows(page):
    """(elements, what the rows with them say), rows without an element belonging to the one above."""
    found, elements = {}, []
    for line in (DOCS / page).read_text().splitlines():
        if not line.startswith("| "):
            elements = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        elements = re.findall(r"<(\w+)>", cells[0]) or elements
        for element in elements:
            found[element] = found.get(element, "") + " " + " ".join(cells[1:])
    return found


@pytest.mark.parametrize(("page", "words"), [("urdf.md", KNOWN), ("raisim_files.md", SENSOR_SET)])
def test_every_element_and_attribute_is_documented(page, words):
    said = rows(page)
    for element, (attributes, _) in words.items():
        if page != "urdf.md" and element in KNOWN and KNOWN[element] == words[element]:
            continue  # as in URDF
        assert element in said, element
        for attribute in attributes.split():
            assert re.search(rf"\b{attribute}\b", said[element]), f"{attribute} of <{element}>"


def test_every_joint_type_and_mesh_format_is_documented():
    text = (DOCS / "urdf.md").read_text()
    assert all(f"`{kind}`" in text for kind in KINDS)
    assert all(f"| `{suffix}` |" in (DOCS / "meshes.md").read_text() for suffix in READERS)
