"""From turns to OTLP: names, ids, spans and metric points, and the way of a turn from the outbox to its endpoint."""
