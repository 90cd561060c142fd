# The action's image. Plain Dockerfile syntax only, so that docker, buildah and podman all build it.
# A release passes PYTHON_IMAGE with its digest; anybody may pass a mirror's name.
ARG PYTHON_IMAGE=docker.io/library/python:3.13-slim-trixie

FROM ${PYTHON_IMAGE} AS dependencies
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1 PIP_ROOT_USER_ACTION=ignore
COPY requirements.lock /src/
# Of scipy only special, optimize, fft and what they import are ever used (the gate never imports scipy.stats).
# pip stays behind in /opt/tools; /opt/gate is where the package itself will lie, a small layer of its own.
RUN python -m venv /opt/tools \
    && python -m venv --without-pip /opt/venv \
    && /opt/tools/bin/pip --python /opt/venv/bin/python install --only-binary :all: --require-hashes -r /src/requirements.lock \
    && /opt/venv/bin/python -c "import sysconfig; open(sysconfig.get_path('purelib') + '/gate.pth', 'w').write('/opt/gate\n')" \
    && for unused in cluster datasets differentiate fftpack integrate interpolate io misc ndimage odr signal stats; do \
         rm -rf /opt/venv/lib/python3*/site-packages/scipy/"$unused"; done \
    && find /opt/venv -type d -name tests -prune -exec rm -rf {} + \
    && find /opt/venv -type f -name '*.pyi' -delete \
    && /opt/venv/bin/python -m compileall -q -j 0 --invalidation-mode unchecked-hash /opt/venv

FROM dependencies AS package
COPY requirements.build.lock /src/
RUN /opt/tools/bin/pip install --only-binary :all: --require-hashes -r /src/requirements.build.lock
COPY pyproject.toml README.md LICENSE /src/
COPY schemas /src/schemas
COPY gate /src/gate
RUN /opt/tools/bin/pip wheel --no-deps --no-build-isolation --wheel-dir /wheel /src \
    && /opt/tools/bin/pip --python /opt/venv/bin/python install --no-deps --no-index --no-compile --target /opt/gate /wheel/*.whl \
    && /opt/venv/bin/python -m compileall -q --invalidation-mode unchecked-hash /opt/gate

FROM ${PYTHON_IMAGE}
ARG VERSION=0.0.0+unreleased
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="Retrieval Quality Gate" \
      org.opencontainers.image.description="A pull-request gate for retrieval, memory and LLM systems" \
      org.opencontainers.image.licenses="MIT" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"
COPY --from=dependencies /opt/venv /opt/venv
COPY --from=package /opt/gate /opt/gate
# No USER and no WORKDIR: the runner mounts the workspace, sets both, and expects root.
# -I: neither the workspace (our working folder) nor PYTHON* variables nor HOME can put code on our path.
ENTRYPOINT ["/opt/venv/bin/python", "-I", "-m", "gate.action"]
