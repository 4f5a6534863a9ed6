"""Worlds, mechanisms and recordings in the browser, and as pages, through viser (extra `viz`)."""

from rbdyn.viewer.page import save_html
from rbdyn.viewer.viewer import Viewer
from rbdyn.viewer.viewing import view

__all__ = ["Viewer", "save_html", "view"]
