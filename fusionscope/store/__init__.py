"""The store: one SQLite database, the one truth that everything else is drawn from."""
