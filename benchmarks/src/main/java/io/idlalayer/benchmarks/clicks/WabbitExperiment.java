package io.idlalayer.benchmarks.clicks;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.benchmarks.measure.CsvFile;
import io.idlalayer.benchmarks.measure.EndedProcesses;
import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.WholeRun;
import io.idlalayer.benchmarks.measure.WorkFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Compares whole processes of the product with Vowpal Wabbit on click logs: log loss and area under
 * the curve of what was predicted of each row before it trained, and processor time of the whole
 * process. The product runs as a user starts it, at a fixed rate of events; Vowpal Wabbit reads the
 * rows as fast as it can. Appends one line for each run to a CSV file. Linux only.
 */
@CommandLine.Command(name = "WabbitExperiment", mixinStandardHelpOptions = true)
public final class WabbitExperiment implements Callable<Integer> {
  private static final String HEADER =
      "log,learner,settings,seed,rate,rows,log_loss,auc,process_cpu_seconds,updates,unscored";

  /** Columns of rows that are neither label nor feature. */
  private static final List<String> UNUSED_OF_AVAZU = List.of("id");

  /** One letter for each column: Vowpal Wabbit crosses namespaces by their first letters. */
  private static final String NAMESPACES = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

  @Option(names = "--data", description = "directory with the folder ctr")
  private Path data = Path.of("../shared/data");

  @Option(names = "--examples", description = "directory with the application files")
  private Path examples = Path.of("examples");

  @Option(names = "--logs", split = ",", description = "${COMPLETION-CANDIDATES}")
  private List<ClickLog> logs = List.of(ClickLog.values());

  @Option(names = "--rates", split = ",", description = "events a second")
  private List<Integer> rates = List.of(100, 1_000);

  @Option(names = "--seeds", split = ",", description = "seeds of the product")
  private List<Integer> seeds = List.of(1, 2, 3);

  @Option(names = "--idla", split = " ", description = "words that start the command line")
  private List<String> idla = List.of("./idla");

  @Option(
      names = "--vw",
      description = "program of Vowpal Wabbit; without it only the product runs")
  private @Nullable Path wabbit;

  @Option(names = "--out", required = true, description = "CSV file to append to")
  private Path out = Path.of("");

  WabbitExperiment() {}

  public static void main(String[] args) {
    Experiment.run(new WabbitExperiment(), args);
  }

  /** Returns settings of Vowpal Wabbit: its defaults, and the best that are known for a log. */
  private static List<String> wabbitSettings(ClickLog log) {
    return switch (log) {
      case CRITEO -> List.of("", "-q :: --ftrl --ftrl_alpha 0.01", "-q :: -l 0.1");
      case AVAZU -> List.of("", "-q :: -l 0.1", "-q :: --ftrl --ftrl_alpha 0.01");
      case MOVIELENS -> List.of("", "-l 1 --power_t 0.4", "--ftrl --ftrl_alpha 0.3");
    };
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    CsvFile lines = new CsvFile(out, HEADER);
    for (ClickLog log : logs) {
      List<String> rows = log.rows(data);
      if (wabbit != null) {
        for (String settings : wabbitSettings(log)) {
          lines.append(wabbit(log, rows, wabbit, settings));
        }
      }
      for (int seed : seeds) {
        for (int rate : rates) {
          lines.append(product(log, rows, seed, rate));
        }
      }
    }
    return 0;
  }

  private String product(ClickLog log, List<String> rows, long seed, int rate)
      throws IOException, InterruptedException {
    try (WorkFolder folder = WorkFolder.in(null, "clicks")) {
      Path application = folder.path().resolve("application.yaml");
      Files.writeString(application, application(log) + "seed: %d\n".formatted(seed));
      Path input = folder.path().resolve("rows");
      Files.write(input, rows);
      WholeRun run = WholeRun.of(idla, application, input, rate, folder.path());
      JsonNode quality = run.classification();
      return line(
          log,
          "idlalayer,as in examples",
          seed,
          rate,
          rows.size(),
          quality.get("logLoss").asDouble(),
          quality.at("/metrics/auc").asDouble(),
          run.cpuSeconds(),
          run.report().get("updatesTotal").asLong(),
          run.report().at("/prequential/unscored").asLong());
    }
  }

  /** Returns the example for a log, for rows without a header and a label of two classes. */
  private String application(ClickLog log) throws IOException {
    String text = Files.readString(examples.resolve(log.name().toLowerCase(Locale.ROOT) + ".yaml"));
    return switch (log) {
      case CRITEO -> text;
      case AVAZU -> text.replace("header: true", "header: false");
      case MOVIELENS -> text.replace("task: regression", "classes: [\"0\", \"1\"]");
    };
  }

  private String wabbit(ClickLog log, List<String> rows, Path program, String settings)
      throws IOException, InterruptedException {
    try (WorkFolder folder = WorkFolder.in(null, "wabbit")) {
      Path input = folder.path().resolve("rows.vw");
      Files.write(input, rows.stream().map(row -> wabbitRow(log, row)).toList());
      Path predictions = folder.path().resolve("predictions.txt");
      List<String> command = new ArrayList<>(List.of(program.toString()));
      if (!settings.isEmpty()) {
        command.addAll(List.of(settings.split(" ")));
      }
      command.addAll(
          List.of(
              "--loss_function=logistic",
              "--link=logistic",
              "--bit_precision=24",
              "--data=" + input,
              "--predictions=" + predictions));
      double seconds = EndedProcesses.cpuSecondsOf(command, folder.path().resolve("said.txt"));
      List<String> lines = Files.readAllLines(predictions);
      ClickPredictions measured = new ClickPredictions();
      for (int i = 0; i < lines.size(); i++) {
        measured.add(Double.parseDouble(lines.get(i)), positive(log, rows.get(i)));
      }
      return line(
          log,
          "vw," + (settings.isEmpty() ? "defaults" : settings),
          0,
          0,
          lines.size(),
          measured.logLoss(),
          measured.auc(),
          seconds,
          rows.size(),
          0);
    }
  }

  private static boolean positive(ClickLog log, String row) {
    return row.split(log.delimiter(), -1)[log.labelColumn()].equals("1");
  }

  /**
   * Returns a row as Vowpal Wabbit reads it: one namespace for each column. Numbers of Criteo are
   * cut into bins of their squared logarithm, as is common for this log.
   */
  private static String wabbitRow(ClickLog log, String row) {
    String[] fields = row.split(log.delimiter(), -1);
    StringBuilder line = new StringBuilder(positive(log, row) ? "1" : "-1");
    for (int i = 0; i < fields.length; i++) {
      boolean unused =
          switch (log) {
            case AVAZU -> i < UNUSED_OF_AVAZU.size();
            case MOVIELENS -> i > log.labelColumn();
            case CRITEO -> false;
          };
      if (i == log.labelColumn() || unused || fields[i].isEmpty()) {
        continue;
      }
      boolean number = log == ClickLog.CRITEO && i <= 13;
      line.append(" |")
          .append(NAMESPACES.charAt(i))
          .append(' ')
          .append(number ? bin(Long.parseLong(fields[i])) : fields[i]);
    }
    return line.toString();
  }

  private static String bin(long value) {
    return value > 2 ? Long.toString((long) Math.pow(Math.log((double) value), 2)) : "s" + value;
  }

  private static String line(
      ClickLog log,
      String learner,
      long seed,
      int rate,
      int rows,
      double logLoss,
      double auc,
      double cpuSeconds,
      long updates,
      long unscored) {
    return String.format(
        Locale.ROOT,
        "%s,%s,%d,%d,%d,%.5f,%.4f,%.2f,%d,%d",
        log.name().toLowerCase(Locale.ROOT),
        learner,
        seed,
        rate,
        rows,
        logLoss,
        auc,
        cpuSeconds,
        updates,
        unscored);
  }
}
