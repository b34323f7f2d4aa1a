"""The pin table and what is made from it: header, default configuration, drawing, parts list."""
