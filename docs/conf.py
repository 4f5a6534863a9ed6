"""Sphinx settings: `make docs`."""

import logging
import pathlib
import re
import sys

import rbdyn

sys.path.insert(0, str(pathlib.Path(__file__).parent))
logging.getLogger("rbdyn").setLevel(logging.WARNING)  # what examples add to their Worlds is no matter of the manual

project = "rbdyn"
author = "the rbdyn authors"
version = release = rbdyn.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.autosummary"]
extensions += ["sphinx_gallery.gen_gallery"]
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "rbdyn"
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_param = False
napoleon_use_ivar = True
add_module_names = False
suppress_warnings = ["myst.xref_missing", "ref.python"]

# ---- the gallery: every example is run, and the World that it leaves behind is drawn (pictures.py) ----
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"\.py$",
    "image_scrapers": ("pictures.scrape",),
    "reset_modules": (),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "abort_on_example_error": True,
}

# ---- what messages begin with, file:line, is no link ----


def setup(app):
    """Called by Sphinx."""
    app.connect("autodoc-process-docstring", quote_places)


def quote_places(app, what, name, obj, options, lines):
    """Quote it, as docutils takes it for an address."""
    lines[:] = [re.sub(r"(?<![`\w])file:line(?![`\w])", "``file:line``", line) for line in lines]
