"""Who is in a World: objects by name, shapes by id, bodies by handle, pairs of materials."""
