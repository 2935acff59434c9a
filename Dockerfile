# The study in a container, with the libraries of requirements.lock: docs/installing.md says how to use it.
FROM python:3.12-slim

WORKDIR /opt/aucstudy
COPY requirements.lock ./
RUN pip install --no-cache-dir --require-hashes -r requirements.lock
COPY . .
RUN pip install --no-cache-dir --no-deps --no-build-isolation .

# compiled once here, where the image can still be written
ENV NUMBA_CACHE_DIR=/opt/aucstudy-compiled
RUN aucstudy score studies/files-example/diabetes-high.csv --label label --positive high --score knn \
    && chmod -R a+rX /opt/aucstudy-compiled

# results go to the folder that is mounted here
WORKDIR /study
ENTRYPOINT ["aucstudy"]
CMD ["run"]
