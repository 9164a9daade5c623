package io.idlalayer.benchmarks.serving;

import io.idlalayer.benchmarks.measure.Experiment;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.measure.WorkFolder;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.sample.IdLists;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * Rows that are served from the heap and from a mapped file: how long a version takes to load and
 * to follow the one before, what is resident, and lookups per second. One form in a process, so
 * that memory can be told apart.
 */
@CommandLine.Command(name = "MappedRowsExperiment", mixinStandardHelpOptions = true)
public final class MappedRowsExperiment implements Callable<Integer> {
  private static final int DIM = 16;
  private static final int IDS_OF_SAMPLE = 26;
  private static final int SAMPLES = 1 << 14;
  private static final double SECONDS = 1;
  private static final int REPEATS = 5;
  private static final EmbeddingPlan PLAN = plan();

  @Option(names = "--form", description = "heap or mapped")
  private String form = "heap";

  @Option(names = "--rows", description = "of the table")
  private int rows = 5_000_000;

  @Option(names = "--changed", description = "rows that change in each following version")
  private int changed = 100_000;

  @Option(names = "--folder", description = "for the files")
  private Path folder = Path.of(System.getProperty("java.io.tmpdir"));

  public static void main(String[] args) {
    Experiment.run(new MappedRowsExperiment(), args);
  }

  private static EmbeddingPlan plan() {
    List<EmbeddingPlan.Feature> features = new ArrayList<>();
    for (int i = 0; i < IDS_OF_SAMPLE; i++) {
      features.add(new EmbeddingPlan.Feature(0, IdPooling.SUM, i * DIM));
    }
    return new EmbeddingPlan(
        List.of(new EmbeddingPlan.Table("ids", DIM, new RowLayout(DIM, RowUpdater.SGD))),
        features,
        IDS_OF_SAMPLE * DIM,
        IDS_OF_SAMPLE * DIM);
  }

  @Override
  public Integer call() throws Exception {
    boolean mapped = form.equals("mapped");
    try (WorkFolder work = WorkFolder.in(folder, "mapped-rows")) {
      measure(work.path(), mapped);
    }
    return 0;
  }

  private void measure(Path work, boolean mapped) throws Exception {
    RowsFolder maps = mapped ? RowsFolder.open(work.resolve("maps")) : null;
    Path full = work.resolve("full");
    Path delta = work.resolve("delta");
    writeFiles(full, delta);
    System.out.printf("%s, %,d rows x %d, %,d bytes%n", form, rows, DIM, Files.size(full));
    long began = System.nanoTime();
    ServedRows served = ServedRows.read(PLAN, List.of(open(full)), maps);
    System.out.printf("load: %.0f ms%n", (System.nanoTime() - began) / 1e6);
    memory("after loading", served);
    List<Double> swaps = new ArrayList<>();
    for (int i = 0; i < REPEATS; i++) {
      long from = System.nanoTime();
      ServedRows next = served.next(List.of(open(delta)), Files.size(delta));
      swaps.add((System.nanoTime() - from) / 1e6);
      served.close();
      served = next;
    }
    System.out.printf(
        "%,d changed rows: first %.0f ms, median %.0f ms%n",
        changed, swaps.get(0), Repeats.of(swaps).median());
    for (boolean skewed : new boolean[] {false, true}) {
      List<IdLists> samples = samples(skewed);
      for (int threads : new int[] {1, 2}) {
        lookups(served, samples, threads);
        List<Double> rates = new ArrayList<>();
        for (int i = 0; i < REPEATS; i++) {
          rates.add(lookups(served, samples, threads));
        }
        System.out.printf(
            "%s, %d threads: %s million lookups/s%n",
            skewed ? "9 of 10 to a twentieth of the rows" : "uniform",
            threads,
            Repeats.of(rates).text("%.2f"));
      }
    }
    memory("at the end", served);
    served.close();
  }

  private void writeFiles(Path full, Path delta) throws IOException {
    long[] sorted = sortedKeys();
    write(full, RowFile.Kind.FULL, sorted, rows);
    write(delta, RowFile.Kind.DELTA, sorted, changed);
  }

  private long[] sortedKeys() {
    EmbeddingPlan.Table table = PLAN.tables().get(0);
    long[] byRowKey = new long[rows];
    long[][] pairs = new long[rows][];
    Arrays.setAll(pairs, i -> new long[] {table.rowKey(i + 2L), i + 2L});
    Arrays.parallelSort(pairs, (a, b) -> Long.compareUnsigned(a[0], b[0]));
    Arrays.setAll(byRowKey, i -> pairs[i][1]);
    return byRowKey;
  }

  private void write(Path file, RowFile.Kind kind, long[] sorted, int count) throws IOException {
    SplittableRandom random = new SplittableRandom(1);
    try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      RowFile.Writer writer = new RowFile.Writer(out, kind, 1);
      writer.table(new RowFile.Table("ids", DIM, DIM));
      float[] values = new float[DIM];
      int left = count;
      for (int i = 0; i < sorted.length; i++) {
        if (random.nextInt(sorted.length - i) < left) {
          left--;
          Arrays.fill(values, (float) random.nextDouble());
          writer.row(sorted[i], values, 0);
        }
      }
      writer.end();
      writer.flush();
    }
  }

  private static RowFile.Reader open(Path file) throws IOException {
    InputStream in = Files.newInputStream(file);
    return new RowFile.Reader(in);
  }

  private List<IdLists> samples(boolean skewed) {
    SplittableRandom random = new SplittableRandom(2);
    List<IdLists> samples = new ArrayList<>();
    for (int i = 0; i < SAMPLES; i++) {
      long[] keys = new long[IDS_OF_SAMPLE];
      Arrays.setAll(
          keys,
          k ->
              2 + random.nextInt(skewed && random.nextInt(10) > 0 ? Math.max(1, rows / 20) : rows));
      samples.add(IdLists.single(keys));
    }
    return samples;
  }

  /** Millions of lookups per second. */
  private static double lookups(ServedRows rows, List<IdLists> samples, int threads)
      throws Exception {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      List<Future<Double>> rates = new ArrayList<>();
      for (int t = 0; t < threads; t++) {
        int first = t * samples.size() / threads;
        rates.add(pool.submit(() -> rate(rows, samples, first)));
      }
      double sum = 0;
      for (Future<Double> each : rates) {
        sum += each.get();
      }
      return sum;
    } finally {
      pool.shutdownNow();
    }
  }

  private static double rate(ServedRows rows, List<IdLists> samples, int first) {
    float[] input = new float[PLAN.width()];
    long lookups = 0;
    long began = System.nanoTime();
    long end = began + (long) (SECONDS * 1e9);
    int at = first;
    while (System.nanoTime() < end) {
      for (int i = 0; i < 64; i++) {
        Arrays.fill(input, 0);
        rows.fill(samples.get(at), input, 0);
        at = (at + 1) % samples.size();
      }
      lookups += 64L * IDS_OF_SAMPLE;
    }
    if (input[0] == 0) {
      throw new IllegalStateException("an id has no row");
    }
    return lookups * 1e3 / (System.nanoTime() - began);
  }

  private static void memory(String when, ServedRows rows) throws IOException {
    System.gc();
    long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    String resident =
        String.join(
            ", ",
            Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("Rss"))
                .map(line -> line.replaceAll("\\s+", " "))
                .toList());
    System.out.printf(
        "%s: heap in use %,d MB, rows on the heap %,d MB, mapped %,d MB; %s%n",
        when, used >> 20, rows.bytes() >> 20, rows.mappedBytes() >> 20, resident);
  }
}
