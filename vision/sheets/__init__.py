"""Printed score sheets of dots: found by their markers and print, read for what was pencilled on them."""
