"""Photos and labels in files: read whole or refused, written whole or not at all."""
