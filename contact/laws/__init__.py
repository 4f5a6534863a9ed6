"""What a block of a contact problem obeys, one file a law."""
