"""Rules, the referee, the journal, and what the displays are told."""
