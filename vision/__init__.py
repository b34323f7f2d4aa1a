"""From pictures of the table to what lies on it, in millimetres. Knows no rules."""
