"""What the LAN sees of a table: HTTP API, event stream, pages."""
