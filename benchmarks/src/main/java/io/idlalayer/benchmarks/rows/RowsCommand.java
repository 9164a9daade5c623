package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.rows.RowsExperiment.Effort;
import io.idlalayer.benchmarks.rows.RowsExperiment.Outcome;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
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
    description = {
      "Looks embedding rows up and trains them: the product's tables with each policy, a plain"
          + " array and Caffeine, all with the same bytes of DRAM in front of RocksDB and in turns;"
          + " hit rates. Or writes events with ids for 'run'."
    })
public final class RowsCommand implements Callable<Integer> {
  /** What is measured. */
  enum Part {
    /** Lookups a second. */
    LOOKUPS,
    /** Lookups with an update of each row. */
    TRAINING,
    /** Both with everything in DRAM, against an array. */
    DRAM,
    /** All rows outside the heap, at lines of the processor's cache and not. */
    ALIGNMENT,
    /** Hits of policies against the most popular rows and Caffeine. */
    HITS
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
      defaultValue = "lookups,training",
      paramLabel = "PART",
      description = "lookups, training, dram, alignment, hits (default ${DEFAULT-VALUE}).")
  List<Part> parts;

  @Option(
      names = "--rows",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "Rows of the table (default ${DEFAULT-VALUE}).")
  int rows;

  @Option(
      names = "--dim",
      split = ",",
      defaultValue = "16",
      paramLabel = "N",
      description = "Floats of a row; several with commas (default ${DEFAULT-VALUE}).")
  List<Integer> dims;

  @Option(
      names = "--zipf",
      split = ",",
      defaultValue = "1.05",
      paramLabel = "S",
      description = "Exponents of the ids' popularity, 0 for uniform (default ${DEFAULT-VALUE}).")
  List<Double> exponents;

  @Option(
      names = "--cache",
      split = ",",
      defaultValue = "0.1",
      paramLabel = "F",
      description =
          "Bytes of DRAM as shares of what all rows take at least (default ${DEFAULT-VALUE}).")
  List<Double> shares;

  @Option(
      names = "--batch",
      defaultValue = "1024",
      paramLabel = "N",
      description = "Outputs of a batch (default ${DEFAULT-VALUE}).")
  int batch;

  @Option(
      names = "--accesses",
      defaultValue = "26",
      paramLabel = "N",
      description = "Rows that are added up for an output (default ${DEFAULT-VALUE}).")
  int accesses;

  @Option(
      names = "--repeats",
      defaultValue = "5",
      paramLabel = "N",
      description = "Turns of each contender that count (default ${DEFAULT-VALUE}).")
  int repeats;

  @Option(
      names = "--seconds",
      defaultValue = "2",
      paramLabel = "S",
      description =
          "Of a turn. Each contender warms up in four turns, or more, up to 40, until its hit rate"
              + " is steady (default ${DEFAULT-VALUE}).")
  double seconds;

  @Option(
      names = "--store",
      defaultValue = "flink",
      paramLabel = "flink|rocksdb",
      description =
          "Where the product's tables have rows that are not in DRAM: keyed state as in a job, or"
              + " RocksDB without Flink around it (default ${DEFAULT-VALUE}).")
  OpenStore.Kind store;

  @Option(
      names = "--store-memory",
      defaultValue = "256",
      paramLabel = "MIB",
      description =
          "Of RocksDB for blocks, filters and what is not in a file yet, each store's own (default"
              + " ${DEFAULT-VALUE}, as a process of the product has).")
  int storeMemory;

  @Option(
      names = "--uncompressed",
      description = "Leaves the blocks of the RocksDB behind Caffeine uncompressed.")
  boolean uncompressed;

  @Option(
      names = "--stream",
      paramLabel = "FILE",
      description = "For 'hits': ids of a recorded file, .gz or not, besides those that are drawn.")
  @Nullable Path stream;

  @Option(
      names = "--separator",
      defaultValue = "\t",
      paramLabel = "TEXT",
      description = "Between the columns of the file (default: a tab).")
  String separator;

  @Option(
      names = "--from-column",
      defaultValue = "14",
      paramLabel = "N",
      description = "First column of the file with ids, from 0 on (default ${DEFAULT-VALUE}).")
  int fromColumn;

  @Option(
      names = "--slow",
      paramLabel = "FOLDER",
      description =
          "Where the slow rows are (default: a new temporary folder, deleted at the end).")
  @Nullable Path slow;

  @Option(
      names = "--write",
      paramLabel = "FILE",
      description =
          "Writes events for 'run' instead, .gz or not: 26 ids of tables with 3 to --rows rows, 13"
              + " numbers, clicks that depend on them.")
  @Nullable Path written;

  @Option(
      names = "--format",
      defaultValue = "tsv",
      paramLabel = "tsv|json",
      description = "Of the events (default ${DEFAULT-VALUE}).")
  CriteoEvents.Format format;

  @Option(
      names = "--events",
      defaultValue = "1000000",
      paramLabel = "N",
      description = "How many events (default ${DEFAULT-VALUE}).")
  long events;

  private boolean missed;

  @Override
  public Integer call() throws IOException {
    check();
    if (written != null) {
      new CriteoEvents(rows, exponents.get(0), events, SEED).write(written, format, events);
      return 0;
    }
    Path folder =
        slow == null ? Files.createTempDirectory("idla-rows") : Files.createDirectories(slow);
    try {
      for (int dim : dims) {
        for (double exponent : exponents) {
          measure(new BenchTable(rows, dim), exponent, folder);
        }
      }
      if (parts.contains(Part.HITS) && stream != null) {
        recordedHits(stream);
      }
    } finally {
      if (slow == null) {
        delete(folder);
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

  /** Deletes a folder with all that is in it. */
  static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
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
      Path files = Files.createTempDirectory(folder, "stores");
      try (OpenStore opened = OpenStore.open(store, files.resolve("tables"), memory())) {
        table.fill(opened.store());
        besideCaffeine(table, exponent, entryBytes, opened.store(), files.resolve("caffeine"));
      } finally {
        delete(files);
      }
    }
    if (parts.contains(Part.DRAM)) {
      DramExperiment.ofTables(table, effort()).run(exponent, out());
    }
    if (parts.contains(Part.ALIGNMENT)) {
      DramExperiment.ofAlignment(table, effort()).run(exponent, out());
    }
    if (parts.contains(Part.HITS)) {
      hits(table, exponent);
    }
  }

  private long memory() {
    return (long) storeMemory << 20;
  }

  private void besideCaffeine(
      BenchTable table, double exponent, int entryBytes, RowStore rowStore, Path files)
      throws IOException {
    Files.createDirectories(files);
    RocksDbRowStore.Options options = new RocksDbRowStore.Options(memory(), true, !uncompressed);
    try (RocksDbRowStore plain = new RocksDbRowStore(files, options)) {
      table.fill(plain);
      for (double share : shares) {
        run(table, exponent, share, entryBytes, rowStore, plain);
      }
    }
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
      RocksDbRowStore plain) {
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
      RocksDbRowStore plain) {
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

  // ---- hit rates ------------------------------------------------------------------------------

  private void hits(BenchTable table, double exponent) {
    int length = 4 * rows;
    for (boolean drifting : new boolean[] {false, true}) {
      IdStream ids =
          drifting
              ? IdStream.zipf(rows, exponent, SEED, 1_000_000, Math.max(1, rows / 1_000))
              : IdStream.zipf(rows, exponent, SEED, 0, 0);
      int[] drawn = new int[length];
      Arrays.setAll(drawn, i -> ids.next());
      String name =
          "Zipf %s%s"
              .formatted(exponent, drifting ? ", ids shift each million by a thousandth" : "");
      hits(table, name, drawn, length / 2);
    }
  }

  private void recordedHits(Path file) throws IOException {
    int[] ids = IdStream.recorded(file, separator, fromColumn);
    int different = Arrays.stream(ids).max().orElse(0) + 1;
    for (int dim : dims) {
      hits(new BenchTable(different, dim), file.getFileName().toString(), ids, ids.length / 3);
    }
  }

  private void hits(BenchTable table, String name, int[] ids, int from) {
    out()
        .printf(
            Locale.ROOT,
            "Hit rates, %s: %,d lookups of %,d ids, each id once in %d lookups:%n%n",
            name,
            ids.length,
            table.rows(),
            batch);
    out()
        .println(
            "| exact | DRAM, % | frequency, rows | frequency | dynamic"
                + " | static | Caffeine, rows | Caffeine | Caffeine, same rows | most popular |");
    out().println("|---|---|---|---|---|---|---|---|---|---|");
    int entryBytes = CaffeineContender.entryBytes(table.dim());
    HitRates rates = new HitRates(table, ids, batch, from / batch * batch);
    for (double share : shares) {
      long bytes = (long) (share * table.rows() * table.payloadBytes());
      HitRates.Outcome frequency = rates.tables(RowPolicyName.FREQUENCY, bytes);
      out()
          .printf(
              Locale.ROOT,
              "| | %.1f | %,d | %.4f | %.4f | %.4f | %,d | %.4f | %.4f | %.4f |%n",
              100 * share,
              frequency.rows(),
              frequency.hitRate(),
              rates.tables(RowPolicyName.DYNAMIC, bytes).hitRate(),
              rates.tables(RowPolicyName.STATIC, bytes).hitRate(),
              bytes / entryBytes,
              rates.caffeine(bytes / entryBytes).hitRate(),
              rates.caffeine(frequency.rows()).hitRate(),
              rates.ideal(frequency.rows()).hitRate());
      out().flush();
    }
    out().println();
  }
}
