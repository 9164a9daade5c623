package io.idlalayer.jobs.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;

/** Settings of Flink on the command line, as Flink's own commands take them. */
final class FlinkOptions {
  @Option(
      names = "-D",
      paramLabel = "KEY=VALUE",
      description = {
        "A setting of Flink, of metrics for example: "
            + "-Dmetrics.reporter.prom.factory.class=CLASS. May be repeated. Settings that "
            + "iDlaLayer sets itself are refused."
      })
  Map<String, String> settings = new LinkedHashMap<>();
}
