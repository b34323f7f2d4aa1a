"""The games. Each is a folder that is discovered by its name."""
