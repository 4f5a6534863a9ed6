"""What a block of a contact problem obeys, one file a law."""

LAW_NAMES = ("cone", "unilateral", "bilateral", "box", "disc")  # in the order of Law in problem.pxd
