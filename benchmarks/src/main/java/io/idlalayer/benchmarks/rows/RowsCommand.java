package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.benchmarks.rows.RowsExperiment.Effort;
import io.idlalayer.benchmarks.rows.RowsExperiment.Outcome;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Measures embedding rows. */
@Command(
    name = "rows",
    mixinStandardHelpOptions = true,
    showDefaultValues = true,
    description = {
      "Looks embedding rows up and trains them: the product's tables with each policy, a plain"
          + " array and Caffeine, all with the same bytes of DRAM in front of RocksDB and in turns."
          + " Or writes events with ids for 'run'."
    })
public final class RowsCommand implements Callable<Integer> {
  /** What is measured. */
  enum Part {
    /** Lookups a second. */
    LOOKUPS,
    /** Lookups with an update of each row. */
    TRAINING,
    /** Both with everything in DRAM, against an array. */
    DRAM
  }

  private static final double GET_BAR = 2;
  private static final double MULTI_GET_BAR = 1.3;
  private static final double ARRAY_BAR = 0.9;
  private static final double BYTES_BAR = 1.25;
  private static final int WARM_UPS = 4;
  private static final int MOST_WARM_UPS = 40;
  private static final long SEED = 1;
  @Spec CommandSpec spec;

  @Option(
      names = "--part",
      split = ",",
      paramLabel = "PART",
      description = "lookups, training, dram.")
  List<Part> parts = List.of(Part.LOOKUPS, Part.TRAINING);

  @Option(names = "--rows", paramLabel = "N", description = "Rows of the table.")
  int rows = 1_000_000;

  @Option(names = "--dim", split = ",", paramLabel = "N", description = "Floats of a row.")
  List<Integer> dims = List.of(16);

  @Option(
      names = "--zipf",
      split = ",",
      paramLabel = "S",
      description = "Exponents of the ids' popularity, 0 for uniform.")
  List<Double> exponents = List.of(1.05);

  @Option(
      names = "--cache",
      split = ",",
      paramLabel = "F",
      description = "Bytes of DRAM as shares of what all rows take at least.")
  List<Double> shares = List.of(0.1);

  @Option(names = "--batch", paramLabel = "N", description = "Outputs of a batch.")
  int batch = 1024;

  @Option(
      names = "--accesses",
      paramLabel = "N",
      description = "Rows that are added up for an output.")
  int accesses = 26;

  @Option(
      names = "--repeats",
      paramLabel = "N",
      description = "Turns of each contender that count.")
  int repeats = 5;

  @Option(
      names = "--seconds",
      paramLabel = "S",
      description =
          "Of a turn. Each contender warms up in four turns, or more, up to 40, until its hit rate"
              + " is steady.")
  double seconds = 2;

  @Option(
      names = "--store-memory",
      paramLabel = "MIB",
      description =
          "Of RocksDB for blocks, filters and what is not in a file yet, each store's own; as a"
              + " process of the product has.")
  int storeMemory = 256;

  @Option(
      names = "--slow",
      paramLabel = "FOLDER",
      description = "For a new folder with the slow rows, deleted at the end.")
  @Nullable Path slow;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description =
          "Writes events for 'run' instead, .gz or not: 26 ids of tables with 3 to --rows rows, 13"
              + " numbers, clicks that depend on them.")
  @Nullable Path written;

  @Option(names = "--format", paramLabel = "tsv|json", description = "Of the events.")
  CriteoEvents.Format format = CriteoEvents.Format.TSV;

  @Option(names = "--events", paramLabel = "N", description = "How many events.")
  long events = 1_000_000;

  private boolean missed;

  @Override
  public Integer call() throws IOException {
    check();
    if (written != null) {
      new CriteoEvents(rows, exponents.get(0), events, SEED).write(written, format, events);
      return 0;
    }
    try (WorkFolder folder = WorkFolder.in(slow, "idla-rows")) {
      for (int dim : dims) {
        for (double exponent : exponents) {
          measure(new BenchTable(rows, dim), exponent, folder.path());
        }
      }
    }
    return missed ? 1 : 0;
  }

  private void check() {
    if (rows < 100 || batch < 1 || accesses < 1 || repeats < 1 || !(seconds > 0)) {
      throw bad("--rows: at least 100; --batch, --accesses, --repeats, --seconds: above 0");
    }
    if (dims.stream().anyMatch(dim -> dim < 1 || (long) dim * rows > Integer.MAX_VALUE)) {
      throw bad("--dim: at least 1, and at most 2^31 floats in all rows");
    }
    if (exponents.stream().anyMatch(exponent -> !(exponent >= 0))) {
      throw bad("--zipf: at least 0");
    }
    if (shares.stream().anyMatch(share -> !(share > 0 && share <= 1))) {
      throw bad("--cache: above 0 and at most 1");
    }
  }

  private CommandLine.ParameterException bad(String message) {
    return new CommandLine.ParameterException(spec.commandLine(), message);
  }

  private PrintWriter out() {
    return spec.commandLine().getOut();
  }

  private void measure(BenchTable table, double exponent, Path folder) throws IOException {
    out()
        .printf(
            Locale.ROOT,
            "## %,d rows x %d floats, %s%n%n",
            rows,
            table.dim(),
            exponent == 0 ? "uniform" : "Zipf " + exponent);
    if (parts.contains(Part.LOOKUPS) || parts.contains(Part.TRAINING)) {
      // Before there is anything else whose garbage would be in the measurement.
      int entryBytes = CaffeineContender.entryBytes(table.dim());
      try (WorkFolder files = WorkFolder.in(folder, "stores");
          JobRows own = new JobRows(files.path().resolve("tables"), memory());
          RocksDbRows plain = new RocksDbRows(files.path().resolve("caffeine"), memory())) {
        table.fill(own.store()::write);
        table.fill(plain::write);
        for (double share : shares) {
          run(table, exponent, share, entryBytes, own.store(), plain);
        }
      }
    }
    if (parts.contains(Part.DRAM)) {
      DramExperiment.run(table, effort(), exponent, out());
    }
  }

  private long memory() {
    return (long) storeMemory << 20;
  }

  private Effort effort() {
    return new Effort(batch, accesses, seconds, WARM_UPS, MOST_WARM_UPS, repeats);
  }

  private void run(
      BenchTable table,
      double exponent,
      double share,
      int entryBytes,
      RowStore rowStore,
      RocksDbRows plain) {
    long bytes = (long) (share * rows * table.payloadBytes());
    for (Part part : parts) {
      if (part == Part.LOOKUPS || part == Part.TRAINING) {
        List<RowsContender> contenders =
            contenders(table, bytes, entryBytes, part, rowStore, plain);
        List<Outcome> outcomes =
            sideBySide(table, exponent, share, part == Part.TRAINING, contenders);
        bars(table, part, outcomes);
      }
    }
  }

  /** Runs contenders in turns, and prints what they reached. */
  private List<Outcome> sideBySide(
      BenchTable table,
      double exponent,
      double share,
      boolean training,
      List<RowsContender> contenders) {
    int[] popular =
        IntStream.range(0, (int) (share * rows)).map(rank -> IdStream.idOf(rank, rows)).toArray();
    RowsExperiment experiment =
        new RowsExperiment(
            table, effort(), training, () -> IdStream.zipf(rows, exponent, SEED + 1, 0, 0));
    List<Outcome> outcomes = experiment.run(contenders, popular);
    out()
        .printf(
            Locale.ROOT,
            "%s: %d outputs of %d rows a batch, %,d bytes of DRAM (%.0f %%):%n%n",
            training ? "Lookups with updates" : "Lookups",
            batch,
            accesses,
            (long) (share * rows * table.payloadBytes()),
            100 * share);
    experiment.print(out(), outcomes);
    return outcomes;
  }

  private List<RowsContender> contenders(
      BenchTable table,
      long bytes,
      int entryBytes,
      Part part,
      RowStore rowStore,
      RocksDbRows plain) {
    List<RowsContender> all = new ArrayList<>();
    for (RowPolicyName policy : RowPolicyName.values()) {
      String name = "RowTables, " + policy.name().toLowerCase(Locale.ROOT);
      all.add(new TablesContender(name, table, policy, bytes, rowStore));
    }
    all.add(new CaffeineContender(table, plain, false, bytes, entryBytes));
    all.add(new CaffeineContender(table, plain, true, bytes, entryBytes));
    all.add(new ArrayContender(table));
    if (part == Part.LOOKUPS) {
      all.add(DramExperiment.whole(table));
    }
    return all;
  }

  private void bars(BenchTable table, Part part, List<Outcome> outcomes) {
    Outcome frequency = outcomes.get(0);
    Outcome get = outcomes.get(RowPolicyName.values().length);
    Outcome multiGet = outcomes.get(RowPolicyName.values().length + 1);
    Outcome array = outcomes.get(RowPolicyName.values().length + 2);
    bar("frequency / Caffeine + get", frequency, get, GET_BAR);
    bar("frequency / Caffeine + MultiGet", frequency, multiGet, MULTI_GET_BAR);
    if (part == Part.LOOKUPS) {
      bar("all in DRAM / float[]", outcomes.get(outcomes.size() - 1), array, ARRAY_BAR);
    }
    double bytes =
        (double) frequency.contender().fastBytes()
            / frequency.contender().residentRows()
            / table.payloadBytes();
    say("bytes of a row in DRAM / payload", bytes, "at most", BYTES_BAR, bytes <= BYTES_BAR);
    out().println();
    out().flush();
  }

  private void bar(String what, Outcome one, Outcome other, double bar) {
    double ratio = RowsExperiment.ratio(one, other);
    String both = "%s (%.2f by CPU time)".formatted(what, RowsExperiment.cpuRatio(one, other));
    say(both, ratio, "at least", bar, ratio >= bar);
  }

  private void say(String what, double value, String which, double bar, boolean met) {
    missed |= !met;
    out()
        .printf(
            Locale.ROOT,
            "- %s: %.2f, %s %.2f asked: %s%n",
            what,
            value,
            which,
            bar,
            met ? "met" : "MISSED");
  }
}
