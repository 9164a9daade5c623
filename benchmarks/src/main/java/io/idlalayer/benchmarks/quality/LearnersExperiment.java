package io.idlalayer.benchmarks.quality;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.benchmarks.measure.CsvFile;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.WholeRun;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.middleware.sample.Sample;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Compares whole processes of the product with learners of MOA on the drifting streams. The product
 * runs as a user starts it: a separate process contains the broker, Flink, the learner and the
 * publication, and events come at a fixed rate. The learners of MOA run in this process and learn
 * each event at once. Appends one line for each run to a CSV file. Linux only.
 */
@CommandLine.Command(name = "LearnersExperiment", mixinStandardHelpOptions = true)
public final class LearnersExperiment implements Callable<Integer> {
  private static final String HEADER =
      "stream,learner,seed,rows,rate,accuracy,kappa_temporal,log_loss,updates,"
          + "update_cpu_seconds,process_cpu_seconds,incorporation_mean_seconds";

  @Option(names = "--data", description = "directory with the folder drift")
  private Path data = Path.of("../shared/data");

  @Option(names = "--streams", split = ",", description = "names of streams")
  private List<String> streams = List.of("elec", "covtype", "sine", "rbf", "sea", "sea_gradual");

  @Option(names = "--arms", split = ",", description = "product: ${COMPLETION-CANDIDATES}")
  private List<Arm> arms = List.of(Arm.values());

  @Option(names = "--references", split = ",", description = "MOA: ${COMPLETION-CANDIDATES}")
  private List<MoaReference> references = List.of(MoaReference.values());

  @Option(names = "--seeds", split = ",", description = "seeds of all random choices")
  private List<Integer> seeds = List.of(1, 2, 3, 4, 5);

  @Option(names = "--rows", description = "most rows of a stream")
  private int rows = 20_000;

  @Option(names = "--rate", description = "events a second")
  private int rate = 1_000;

  @Option(
      names = "--waiting-samples",
      description = "update.waiting-samples-per-training-second; 0 for the default")
  private int waitingSamples;

  @Option(names = "--idla", split = " ", description = "words that start the command line")
  private List<String> idla = List.of("./idla");

  @Option(names = "--out", required = true, description = "CSV file to append to")
  private Path out = Path.of("");

  LearnersExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new LearnersExperiment(), args);
  }

  /** Settings of the product; all others have their defaults. */
  enum Arm {
    /** An application file that only declares the columns. */
    DEFAULT(""),
    /** {@link #DEFAULT} with the last label and the changes of numbers as context. */
    HISTORY("history: {labels: 1, changes: true}\n"),
    /** {@link #DEFAULT} with as much replay as the budget allows. */
    REPLAY("selection: {steady-share: 1}\n"),
    /** {@link #ONE_NETWORK} with as much replay as the budget allows. */
    ONE_NETWORK_REPLAY("model: {members: 1}\nselection: {steady-share: 1}\n"),
    /** {@link #HISTORY} with as much replay as the budget allows. */
    REPLAY_HISTORY("history: {labels: 1, changes: true}\nselection: {steady-share: 1}\n"),
    /** One network in place of four. */
    ONE_NETWORK("model: {members: 1}\n"),
    /** {@link #ONE_NETWORK} with the learning rate of {@link #DEFAULT}. */
    ONE_NETWORK_QUICK("model: {members: 1}\ntraining: {learning-rate: 0.01}\n");

    private final String settings;

    Arm(String settings) {
      this.settings = settings;
    }

    String application(DriftStream stream, long seed) {
      String columns = String.join(", ", stream.schema().columns());
      String features = columns.substring(0, columns.lastIndexOf(','));
      String classes =
          String.join(
              ", ", stream.schema().label().classes().stream().map("\"%s\""::formatted).toList());
      return """
      name: learners
      seed: %d
      input: {format: csv, columns: [%s], features: [%s], label: class, classes: [%s]}
      %s"""
          .formatted(seed, columns, features, classes, settings);
    }
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    CsvFile lines = new CsvFile(out, HEADER);
    for (String name : streams) {
      DriftStream stream = DriftStreams.read(data, name, rows);
      double noChange = MoaReference.NO_CHANGE.run(stream, 1).quality().trueAccuracy();
      for (int seed : seeds) {
        for (Arm arm : arms) {
          lines.append(product(stream, noChange, arm, seed));
        }
        for (MoaReference reference : references) {
          lines.append(reference(stream, noChange, reference, seed));
        }
      }
    }
    return 0;
  }

  private String product(DriftStream stream, double noChange, Arm arm, long seed)
      throws IOException, InterruptedException {
    try (WorkFolder folder = WorkFolder.in(null, "learners")) {
      Path application = folder.path().resolve("application.yaml");
      String update =
          waitingSamples > 0
              ? "update: {waiting-samples-per-training-second: %d}%n".formatted(waitingSamples)
              : "";
      Files.writeString(application, arm.application(stream, seed) + update);
      Path input = folder.path().resolve("events.csv");
      write(stream, input);
      WholeRun run = WholeRun.of(idla, application, input, rate, folder.path());
      JsonNode quality = run.classification();
      JsonNode processor = run.report().get("processor");
      return line(
          stream,
          "idla_"
              + arm.name().toLowerCase(Locale.ROOT)
              + (waitingSamples > 0 ? "_" + waitingSamples : ""),
          seed,
          quality.get("accuracy").asDouble(),
          noChange,
          quality.get("logLoss").asDouble(),
          processor.get("updates").asLong(),
          sum(processor.get("caused")),
          run.cpuSeconds(),
          run.report().at("/incorporation/meanSeconds").asDouble());
    }
  }

  private String reference(DriftStream stream, double noChange, MoaReference reference, long seed)
      throws IOException {
    MoaReference.Measured run = reference.measured(stream, 0, seed);
    double seconds = run.outcome().costs().trainCpuSeconds() + run.scoringCpuSeconds();
    return line(
        stream,
        reference.key(),
        seed,
        run.outcome().quality().trueAccuracy(),
        noChange,
        run.outcome().quality().trueLogLoss(),
        stream.size(),
        seconds,
        seconds,
        0);
  }

  /** Writes the rows of a stream as CSV, with the name of the class in the last column. */
  private static void write(DriftStream stream, Path file) throws IOException {
    List<String> classes = stream.schema().label().classes();
    try (BufferedWriter writer = Files.newBufferedWriter(file)) {
      for (Sample sample : stream.samples()) {
        StringBuilder row = new StringBuilder();
        for (double value : sample.dense()) {
          row.append(value).append(',');
        }
        writer.append(row.append(classes.get((int) sample.label())).append('\n'));
      }
    }
  }

  private static double sum(JsonNode numbers) {
    double sum = 0;
    for (JsonNode each : numbers) {
      sum += each.asDouble();
    }
    return sum;
  }

  private String line(
      DriftStream stream,
      String learner,
      long seed,
      double accuracy,
      double noChange,
      double logLoss,
      long updates,
      double updateCpuSeconds,
      double processCpuSeconds,
      double incorporationSeconds) {
    return String.format(
        Locale.ROOT,
        "%s,%s,%d,%d,%d,%.5f,%.4f,%.5f,%d,%.2f,%.2f,%.4f",
        stream.name(),
        learner,
        seed,
        stream.size(),
        rate,
        accuracy,
        (accuracy - noChange) / (1 - noChange),
        logLoss,
        updates,
        updateCpuSeconds,
        processCpuSeconds,
        incorporationSeconds);
  }
}
