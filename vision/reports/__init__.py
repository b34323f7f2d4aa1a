"""What was read, beside what truly lay there, as figures and as pictures."""
