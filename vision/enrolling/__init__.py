"""An owner's copy before its faces are known: where pieces lie, how they look side by side, which are too alike."""
