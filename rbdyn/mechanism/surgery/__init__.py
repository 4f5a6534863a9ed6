"""Surgery: edits of a mechanism.  Each checks first, then commits; a failed one leaves the mechanism as it was."""
