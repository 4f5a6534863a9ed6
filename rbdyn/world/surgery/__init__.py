"""Surgery on the robots of a World: systems exchanged while it stands between two steps."""
