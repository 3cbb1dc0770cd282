# The follower: fusionscope and what it needs to run, for compose.yaml.
FROM python:3.13.9-slim-bookworm AS build
WORKDIR /build
COPY stack/follower/requirements.lock ./
# everything by its hash; then from these files alone, so that what only builds stays out of the image
RUN pip download --quiet --no-cache-dir --require-hashes --requirement requirements.lock --dest wheels
COPY pyproject.toml README.md LICENSE ./
COPY fusionscope fusionscope
RUN python -m venv builder \
 && builder/bin/pip install --quiet --no-index --find-links wheels hatchling \
 && builder/bin/pip wheel --quiet --no-deps --no-build-isolation --wheel-dir wheels . \
 && python -m venv /opt/fusionscope \
 && /opt/fusionscope/bin/pip install --quiet --no-index --find-links wheels fusionscope

FROM python:3.13.9-slim-bookworm
ENV PATH=/opt/fusionscope/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    COPILOT_HOME=/copilot \
    FUSIONSCOPE_DB=/state/fusionscope.db
COPY --from=build /opt/fusionscope /opt/fusionscope
COPY stack/follower/preflight.py stack/follower/healthy.py /opt/
# whoever runs here (compose.yaml: user) makes the database: a new volume takes the mode of this directory
RUN mkdir --mode=1777 /state && mkdir -p /copilot/session-state
USER 1000:1000
VOLUME /state
ENTRYPOINT ["fusionscope"]
CMD ["up"]
