"""From the bytes of a line to facts: which fields are read at all, and what they say. Opens nothing, writes nothing."""
