"""The round board with spaces: its own print, the toppings on it and the cutters over it."""
