"""The physical table as a program: pieces, hands, light, lens, pins and cables. It knows no rules."""
