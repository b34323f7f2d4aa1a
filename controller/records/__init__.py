"""Games as text: `record` is what is written, `loading` reads and replays it, `journalled` makes one of a journal."""
