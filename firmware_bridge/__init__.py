"""Bytes on a wire, messages, and the signals that sensors send."""
