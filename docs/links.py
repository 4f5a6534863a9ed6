"""Are there dead links in the manual?  `python docs/links.py docs/_build/html`, which `make docs` runs.

Links between pages, and to places on them; those to other sites are not followed.
"""

import sys
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlparse

from lxml import html


@cache
def places(page: Path) -> frozenset[str]:
    """What a link to a page can name behind #."""
    tree = html.parse(str(page))
    return frozenset([*tree.xpath("//@id"), *tree.xpath("//@name")])


def dead_links(folder: Path) -> list[str]:
    """Each with its page."""
    found = []
    for page in sorted(folder.rglob("*.html")):
        if "_static" in page.parts:
            continue
        for link in html.parse(str(page)).xpath("//@href | //@src"):
            url = urlparse(link)
            if url.scheme and url.scheme != "file":
                continue
            target = (page.parent / unquote(url.path)).resolve() if url.path else page
            target = target / "index.html" if target.is_dir() else target
            lost = url.scheme == "file" or not target.exists()
            if lost or (url.fragment and target.suffix == ".html" and unquote(url.fragment) not in places(target)):
                found.append(f"{page.relative_to(folder)}: {link}")
    return found


if __name__ == "__main__":
    dead = dead_links(Path(sys.argv[1]).resolve())
    print(*dead, sep="\n", end="\n" if dead else "")
    sys.exit(f"{len(dead)} dead links" if dead else 0)
