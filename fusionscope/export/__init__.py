"""From turns to OTLP: names, ids, spans, metric points, and one HTTP POST at a time."""
