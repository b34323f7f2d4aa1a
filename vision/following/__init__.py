"""A table that is watched: what changed, what has come to rest, what is known and need not be read again."""
