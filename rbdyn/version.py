"""The version, in one place: pyproject.toml reads it here, `rbdyn.__version__` shows it, CHANGELOG.md tells of it."""

__version__ = "0.2.0"
