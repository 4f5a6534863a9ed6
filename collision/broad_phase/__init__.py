"""Which pairs of shapes may touch: filters, and bounds that overlap."""
