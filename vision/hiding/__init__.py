"""What hides the table, hands, cups, sleeves, and table that looks like pieces."""
