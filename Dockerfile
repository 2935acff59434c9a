# The study in a container, with the libraries of requirements.lock but for WEKA, docs and tests: docs/running.md.
FROM python:3.12-slim

WORKDIR /opt/aucstudy
COPY requirements.lock ./
RUN sed '/^# \[weka\]/,$d' requirements.lock > study.lock \
    && pip install --no-cache-dir --no-deps --require-hashes -r study.lock
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
