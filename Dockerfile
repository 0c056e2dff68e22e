# Planimeter as the locks pin it, for pools that run containers, and for workers:
#   docker build -t planimeter .
# Without Dask, buckets, Inspect and the tools of the tests: --build-arg LOCKS="-r requirements.lock"
#   docker run -e PREFECT_API_URL=http://HOST:4200/api planimeter prefect worker start --pool planimeter
#   docker run -v "$PWD/outputs:/data/outputs" planimeter planimeter build marvl-qa-mini
FROM python:3.11-slim

WORKDIR /opt/planimeter
# Before the sources, which change more often. What comes as source only is built with the lock's own setuptools.
ARG LOCKS="-r requirements.lock -r requirements-dev.lock"
COPY requirements.lock requirements-dev.lock ./
RUN awk '/^[^ ]/ { named = /^setuptools==/ } named' requirements.lock > setuptools.lock \
    && pip install --no-cache-dir --no-deps --require-hashes -r setuptools.lock \
    && pip install --no-cache-dir --no-deps --require-hashes --no-build-isolation --use-pep517 $LOCKS
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation --use-pep517 ./distributions/evals . && pip check

# Builds go to outputs/ below the working directory; no entry point, for a pool gives the command. Any user may run it
# (docker run --user, OpenShift): what has no home folder keeps its files in one that all may write.
RUN useradd --create-home planimeter && install -d -o planimeter /data && install -d -m 1777 /data/outputs /data/home
ENV HOME=/data/home PREFECT_HOME=/data/home/.prefect NUMBA_CACHE_DIR=/data/home/numba MPLCONFIGDIR=/data/home/matplotlib
USER planimeter
WORKDIR /data
CMD ["planimeter", "--help"]
