# The collector's image holds one program, so nothing in it can ask its health endpoint: add wget.
FROM busybox:1.37.0-musl AS tools
FROM otel/opentelemetry-collector-contrib:0.160.0
COPY --from=tools /bin/busybox /bin/wget
