"""What the library has to say beside errors and warnings goes to the standard logger "rbdyn", and nowhere by itself."""

from __future__ import annotations

import logging

LOG = logging.getLogger("rbdyn")
LOG.addHandler(logging.NullHandler())
