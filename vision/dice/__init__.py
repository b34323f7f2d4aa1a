"""Dice with pips: found in any picture, and on the table. The value on top is read, never deduced from a side face."""
