"""The backends that come with the library."""
