"""The Grafana dashboard as Python: ``python -m stack.dashboard`` writes ``stack/grafana/dashboards/fusionscope.json``.

One way: ``promql`` and ``traceql`` make queries out of the telemetry names, ``panels`` and ``tables`` make panels of them, one
module a row (``headline``, ``work``, ``cost``, ``route``, ``turn``) says which, ``layout`` places them, ``build`` puts all
together.
Nothing here runs in the stack: Grafana reads the JSON, which is committed.

Facts about Grafana that the modules rely on were read in its source (grafana/grafana and grafana/grafana-tempo-datasource,
2026); they stand where they are used.
"""
