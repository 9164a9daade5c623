# One image for every process. Build the lib folder first: ./idla --version
FROM eclipse-temurin:17-jre
COPY flink-jobs/cli/target/lib /opt/idla/lib
COPY console/target/lib /opt/idla/console
COPY dev/docker-entry /opt/idla/entry
RUN chmod +x /opt/idla/entry && useradd --system --create-home idla && mkdir -p /work && chown idla /work && chmod 700 /work
USER idla
VOLUME /work
ENTRYPOINT ["/opt/idla/entry"]
CMD ["idla", "--help"]
