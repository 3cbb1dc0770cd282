"""The only code that opens a session log: it finds, reads and decodes, and never writes below a session root."""
