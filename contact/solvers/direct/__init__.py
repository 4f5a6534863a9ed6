"""All closed contacts at once."""
