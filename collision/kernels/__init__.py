"""Contacts of two shapes, pair by pair: declarations only, compiled into pair_table."""
