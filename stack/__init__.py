"""The Grafana stack: what `compose.yaml` mounts, and the Python that makes the dashboard."""
