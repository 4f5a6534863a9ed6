"""Sphinx settings: `make docs`."""

import rbdyn

project = "rbdyn"
author = "the rbdyn authors"
version = release = rbdyn.__version__
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.autosummary"]
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
