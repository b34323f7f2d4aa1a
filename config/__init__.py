"""A table's settings: their schema, their defaults and the loader."""
