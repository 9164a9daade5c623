package io.idlalayer.benchmarks.campaign;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code idla bench soak}. */
@Command(
    name = "soak",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Feeds the learners of one process at a steady rate for a long time, with full stores, and"
          + " says of heap, memory, threads, file descriptors and disk whether they grow.",
      "Needs Linux and the JDK's jcmd. Ends by itself; about 1.5 GiB of memory."
    })
public final class SoakCommand implements Callable<Integer> {
  private static final int LEAST_POINTS = 10;

  @Spec CommandSpec spec;

  @Option(names = "--minutes", description = "How long.")
  int minutes = 120;

  @Option(names = "--learners", description = "Partitions of the application.")
  int learners = 8;

  @Option(names = "--rate", description = "Events a second, all learners together.")
  int rate = 800;

  @Option(
      names = "--max-samples",
      description = "Budget of each learner's store, full after the first fifth.")
  int maxSamples = 20_000;

  @Option(names = "--every-seconds", description = "How often to look.")
  int everySeconds = 30;

  @Mixin BuildOptions build;

  @Override
  public Integer call() throws IOException, InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    Path work = build.work();
    if (Files.exists(work.resolve("soak"))) {
      out.println("error: " + work + " holds a soak; choose another --work or delete it");
      return 2;
    }
    List<Double> hours = new ArrayList<>();
    Map<String, List<Double>> series = new LinkedHashMap<>();
    String ended;
    try (SoakTarget target = SoakTarget.start(build.lib, work, learners, maxSamples)) {
      long start = System.nanoTime();
      long next = start;
      long sent = 0;
      while (System.nanoTime() - start < minutes * 60_000_000_000L) {
        sent = target.feed(sent, (long) ((System.nanoTime() - start) / 1e9 * rate));
        if (System.nanoTime() >= next) {
          next += everySeconds * 1_000_000_000L;
          if (!target.runs()) {
            throw new IOException("the process has ended: " + target.lastWords());
          }
          look(target, (System.nanoTime() - start) / 3.6e12, hours, series, out);
        }
        Thread.sleep(50);
      }
      ended = target.stop();
    }
    int growing = report(hours, series, ended, out);
    return growing == 0 ? 0 : 1;
  }

  private static void look(
      SoakTarget target,
      double hour,
      List<Double> hours,
      Map<String, List<Double>> series,
      PrintWriter out)
      throws IOException, InterruptedException {
    Map<String, Double> seen = ProcessState.of(target.pid(), target.workDirectory());
    hours.add(hour);
    seen.forEach((name, value) -> series.computeIfAbsent(name, it -> new ArrayList<>()).add(value));
    out.printf(Locale.ROOT, "%6.1f min  %s%n", hour * 60, seen);
    out.flush();
  }

  private int report(
      List<Double> hours, Map<String, List<Double>> series, String ended, PrintWriter out)
      throws IOException {
    ObjectMapper json = new ObjectMapper();
    ObjectNode root = json.createObjectNode();
    root.put("command", build.line());
    root.put("build", build.lib.toString());
    root.put("date", BuildOptions.today());
    root.put("machine", BuildOptions.machine());
    root.put("ended", ended);
    root.set("hours", json.valueToTree(hours));
    StringBuilder table = new StringBuilder();
    table.append(
        "# Soak\n\n%s; %d learners, %d events/s, %d samples each; %s; the process %s.\n\n```\n%s\n```\n\n"
            .formatted(
                BuildOptions.today(),
                learners,
                rate,
                maxSamples,
                BuildOptions.machine(),
                ended,
                root.get("command").asText()));
    table.append(
        """
        | series | points | level | change an hour | 95 % interval | grows |
        |---|---|---|---|---|---|
        """);
    int growing = 0;
    for (Map.Entry<String, List<Double>> entry : series.entrySet()) {
      ObjectNode node = root.withObject("/series").putObject(entry.getKey());
      node.set("values", json.valueToTree(entry.getValue()));
      if (hours.size() < LEAST_POINTS) {
        continue;
      }
      Slope slope =
          ProcessState.slope(
              hours.stream().mapToDouble(it -> it).toArray(),
              entry.getValue().stream().mapToDouble(it -> it).toArray());
      node.set("slope", json.valueToTree(slope));
      node.put("grows", slope.aboveNoise());
      growing += slope.aboveNoise() ? 1 : 0;
      table.append(
          String.format(
              Locale.ROOT,
              "| %s | %d | %.1f | %+.2f | %+.2f .. %+.2f | %s |\n",
              entry.getKey(),
              entry.getValue().size(),
              slope.level(),
              slope.perHour(),
              slope.lowPerHour(),
              slope.highPerHour(),
              slope.aboveNoise() ? "**above noise**" : "not above noise"));
    }
    table.append(
        "\n"
            + "Theil-Sen slopes with Sen's intervals, the first fifth left out. A series grows if"
            + " its interval is above 0 and its growth over the time seen is more than 1 % of its"
            + " level.\n");
    Path folder = Files.createDirectories(build.output());
    Files.writeString(
        folder.resolve("soak.json"),
        json.writerWithDefaultPrettyPrinter().writeValueAsString(root) + "\n");
    Files.writeString(folder.resolve("soak.md"), table.toString());
    out.print(table);
    out.flush();
    return growing;
  }
}
