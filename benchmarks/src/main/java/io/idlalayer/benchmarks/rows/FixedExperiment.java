package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.emulation.TagStats;
import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.benchmarks.quality.CpuTime;
import io.idlalayer.benchmarks.rows.fixed.BaseRows;
import io.idlalayer.benchmarks.rows.fixed.FixedPolicy;
import io.idlalayer.benchmarks.rows.fixed.FixedTable;
import io.idlalayer.benchmarks.rows.fixed.Phase;
import io.idlalayer.benchmarks.tensors.Medians;
import io.idlalayer.middleware.embedding.Pooling;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.regression.SimpleRegression;

/**
 * The lookups of CachedEmbeddings' experiments, on its tables of a fixed size: hit rates of its
 * policies against models of them, and the thread's processor time over the share of the table in
 * DRAM.
 */
final class FixedExperiment {
  private static final int[] PERCENTS = {5, 10, 25, 50, 75, 100};
  private static final int TURNS = 5;

  private final int rows;
  private final int dim;
  private final int outputs;
  private final int accesses;
  private final Path slow;

  /** One table with what it is compared with. */
  private record Row(
      String policy, int percent, double hitRate, double model, double ideal, double nanos) {}

  FixedExperiment(int rows, int dim, int outputs, int accesses, Path slow) {
    this.rows = rows;
    this.dim = dim;
    this.outputs = outputs;
    this.accesses = accesses;
    this.slow = slow;
  }

  /** Runs one distribution and prints its tables. */
  void run(double exponent, PrintWriter out) throws IOException {
    Path file = slow.resolve("fixed-rows");
    List<Row> measured = new ArrayList<>();
    try {
      BaseRows base = BaseRows.mapped(file, rows, dim);
      int[] hot = IntStream.range(0, rows).map(rank -> IdStream.idOf(rank, rows)).toArray();
      double[] popularity = popularity(exponent);
      long rowBytes = base.rowBytes();
      FixedTable simple = new FixedTable(base, new FixedPolicy.Simple(), 1, 0, 0);
      measured.add(row("simple", 0, simple, exponent, 0, 0));
      for (int percent : PERCENTS) {
        int cached = (int) ((long) rows * percent / 100);
        long bytes = cached * rowBytes;
        double ideal = ideal(popularity, cached);
        FixedTable random = table(base, new FixedPolicy.Random(1), bytes);
        measured.add(row("static, random", percent, random, exponent, percent / 100.0, ideal));
        FixedTable known = table(base, new FixedPolicy.Hot(hot), bytes);
        measured.add(row("static, hot", percent, known, exponent, ideal, ideal));
        measured.add(
            row(
                "dynamic",
                percent,
                table(base, new FixedPolicy.Dynamic(), bytes),
                exponent,
                oldestOut(popularity, cached),
                ideal));
      }
      print(exponent, measured, out);
      twoLevel(exponent, rowBytes, out);
    } finally {
      Files.deleteIfExists(file);
    }
  }

  /** So that a page is a small part of them. */
  private static int pageRows(int cached) {
    return Math.max(1, Math.min(FixedTable.PAGE_ROWS, cached / 40));
  }

  /**
   * A table with some bytes of DRAM. Of those of a dynamic one 5 % are slack; after a flush the
   * lower bound is left.
   */
  static FixedTable table(BaseRows base, FixedPolicy policy, long bytes) {
    int pageRows = pageRows((int) (bytes / base.rowBytes()));
    long slack =
        policy instanceof FixedPolicy.Dynamic
            ? Math.max(bytes / 20, pageRows * base.rowBytes())
            : 0;
    return new FixedTable(base, policy, pageRows, Math.max(0, bytes - slack), slack);
  }

  private Row row(
      String policy, int percent, FixedTable table, double exponent, double model, double ideal) {
    IdStream ids = IdStream.zipf(rows, exponent, 7, 0, 0);
    boolean moving = policy.equals("dynamic");
    long lookups = 0;
    // With most rows in DRAM the pages have not all been replaced by then.
    while (lookups < (moving ? 6L * rows : rows)) {
      lookups += turn(table, ids, moving, new long[1]);
    }
    long hits = table.stats().hits();
    long all = hits + table.stats().misses();
    double[] nanos = new double[TURNS];
    for (int i = 0; i < TURNS; i++) {
      long[] spent = {0};
      long done = 0;
      while (done < rows / TURNS) {
        done += turn(table, ids, moving, spent);
      }
      nanos[i] = (double) spent[0] / done;
    }
    double hitRate =
        (double) (table.stats().hits() - hits)
            / (table.stats().hits() + table.stats().misses() - all);
    return new Row(policy, percent, hitRate, model, ideal, Medians.of(nanos));
  }

  /** One batch; returns its lookups. */
  private long turn(FixedTable table, IdStream stream, boolean moving, long[] nanos) {
    IdBatch batch = IdBatch.of(stream, outputs, accesses);
    int[] ends = IntStream.rangeClosed(1, outputs).map(i -> i * accesses).toArray();
    float[] sums = new float[outputs * dim];
    long begin = CpuTime.nanos();
    table.lookupPooled(batch.ids(), ends, Pooling.SUM, sums);
    if (moving && table.isFull()) {
      table.phase(Phase.FLUSH);
      table.flushDirty();
      table.phase(Phase.FORWARD);
    }
    nanos[0] += CpuTime.nanos() - begin;
    return batch.ids().length;
  }

  private double[] popularity(double exponent) {
    double[] popularity = new double[rows];
    double sum = 0;
    for (int rank = 0; rank < rows; rank++) {
      popularity[rank] = Math.pow(rank + 1.0, -exponent);
      sum += popularity[rank];
    }
    for (int rank = 0; rank < rows; rank++) {
      popularity[rank] /= sum;
    }
    return popularity;
  }

  private static double ideal(double[] popularity, int cached) {
    double hit = 0;
    for (int rank = 0; rank < cached; rank++) {
      hit += popularity[rank];
    }
    return hit;
  }

  /**
   * Hit rate of a cache whose oldest row leaves: a row stays for T lookups after it came, and T is
   * such that as many rows are there as fit.
   */
  static double oldestOut(double[] popularity, int cached) {
    if (cached >= popularity.length) {
      return 1;
    }
    double low = 0;
    double high = 1e15;
    for (int i = 0; i < 200; i++) {
      double middle = Math.sqrt(Math.max(1, low) * high);
      if (expected(popularity, middle, false) < cached) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return expected(popularity, high, true);
  }

  private static double expected(double[] popularity, double stay, boolean hits) {
    double sum = 0;
    for (double p : popularity) {
      double there = p * stay / (1 + p * stay);
      sum += hits ? p * there : there;
    }
    return sum;
  }

  private void print(double exponent, List<Row> measured, PrintWriter out) {
    out.printf(
        Locale.ROOT,
        "Fixed tables, %,d rows x %d floats, %s, %d accesses per output:%n%n",
        rows,
        dim,
        exponent == 0 ? "uniform" : "Zipf(" + exponent + ")",
        accesses);
    out.println("| REAL | DRAM, % | hit rate | model of it | most popular rows | CPU ns/lookup |");
    out.println("|---|---|---|---|---|---|");
    for (Row row : measured) {
      out.printf(
          Locale.ROOT,
          "| %s | %d | %.4f | %.4f | %.4f | %.1f |%n",
          row.policy(),
          row.percent(),
          row.hitRate(),
          row.model(),
          row.ideal(),
          row.nanos());
    }
    out.println();
    for (String policy : List.of("static, random", "static, hot", "dynamic")) {
      SimpleRegression line = new SimpleRegression();
      measured.stream()
          .filter(row -> row.policy().equals(policy))
          .forEach(row -> line.addData(row.hitRate(), row.nanos()));
      out.printf(
          Locale.ROOT,
          "CPU ns/lookup of %s over its hit rate: R^2 of a line %.3f, slope %.1f%n",
          policy,
          line.getRSquare(),
          line.getSlope());
    }
    out.println();
    out.flush();
  }

  /** Hardware that hides the slow memory behind DRAM: tags only, so there are no times. */
  private void twoLevel(double exponent, long rowBytes, PrintWriter out) {
    out.println("| SIMULATED: tags of a hardware cache (2LM) | DRAM, % | hit rate of lines |");
    out.println("|---|---|---|");
    for (int percent : PERCENTS) {
      long bytes = Math.max(64, rows * rowBytes * percent / 100 / 64 * 64);
      TwoLevelCache cache =
          new TwoLevelCache(bytes, rows * rowBytes, TwoLevelCache.Options.DEFAULT);
      IdStream ids = IdStream.zipf(rows, exponent, 7, 0, 0);
      for (int i = 0; i < 3 * rows; i++) {
        cache.read(ids.next() * rowBytes, dim * (long) Float.BYTES);
      }
      TagStats before = cache.snapshot();
      for (int i = 0; i < rows; i++) {
        cache.read(ids.next() * rowBytes, dim * (long) Float.BYTES);
      }
      TagStats after = cache.snapshot();
      double reads = after.fastReads() - before.fastReads();
      out.printf(Locale.ROOT, "| | %d | %.4f |%n", percent, (after.hits() - before.hits()) / reads);
    }
    out.println();
    out.flush();
  }
}
