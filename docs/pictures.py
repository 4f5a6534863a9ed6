"""Pictures of the gallery: the World, robot or mechanism that an example leaves behind, as our camera sees it."""

import pathlib

from sphinx_gallery.scrapers import figure_rst

import rbdyn

SEEN = (rbdyn.World, rbdyn.Mechanism, rbdyn.State)
WIDTH, HEIGHT = 640, 400


def scrape(block: tuple, block_vars: dict, gallery_conf: dict) -> str:
    """Draw what the example's globals hold when it has run, and return the reST that shows it."""
    left = [value for value in block_vars["example_globals"].values() if isinstance(value, SEEN)]
    if not left:
        return ""
    path = pathlib.Path(next(block_vars["image_path_iterator"]))
    camera = rbdyn.Camera.looking_at(left[-1], width=WIDTH, height=HEIGHT)
    rbdyn.scenery.look(left[-1], camera).save_png(path)
    return figure_rst([str(path)], gallery_conf["src_dir"])
