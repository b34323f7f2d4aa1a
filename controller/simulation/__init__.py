"""The people at the simulated table: they move its pieces, press its buttons and look at the display, as people do."""
