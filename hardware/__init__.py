"""The physical table: drivers for cameras and pins, and the simulated table that stands in for both."""
