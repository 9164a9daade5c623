package io.idlalayer.benchmarks.rows;

import io.idlalayer.benchmarks.emulation.TagStats;
import io.idlalayer.benchmarks.emulation.TwoLevelCache;
import io.idlalayer.benchmarks.rows.fixed.BaseRows;
import io.idlalayer.benchmarks.rows.fixed.EmulatedDevice;
import io.idlalayer.benchmarks.rows.fixed.EmulatedWait;
import io.idlalayer.benchmarks.rows.fixed.FixedPolicy;
import io.idlalayer.benchmarks.rows.fixed.FixedStats;
import io.idlalayer.benchmarks.rows.fixed.FixedTable;
import io.idlalayer.benchmarks.rows.fixed.Phase;
import io.idlalayer.benchmarks.rows.fixed.TwoLevelDevice;
import io.idlalayer.benchmarks.tensors.Medians;
import io.idlalayer.middleware.embedding.Pooling;
import io.idlalayer.middleware.memory.clock.MemoryClock;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.apache.commons.math3.stat.regression.SimpleRegression;
import org.jspecify.annotations.Nullable;

/**
 * CachedEmbeddings' tables and a hardware cache of lines (2LM) with the same bytes of DRAM before
 * the same emulated slow device: time of lookups, updates and flushes over the hit rate. All take
 * turns, forth and back. EMULATED: rows are really copied, and whoever uses the device waits.
 *
 * <p>Drawing ids and looking up the tags of the hardware cache are not timed. All tables share the
 * rows of one base, whose numbers do not matter.
 */
final class EmulatedExperiment {
  static final String SIMPLE = "simple";
  static final String RANDOM = "static, random";
  static final String HOT = "static, hot";
  static final String DYNAMIC = "dynamic";
  static final String HARDWARE = "2LM";
  static final String FREE_CHECKS = "2LM, checks free";
  private static final String ALL_IN_DRAM = "all in DRAM";

  private static final List<String> CACHING = List.of(RANDOM, HOT, DYNAMIC);
  private static final int[] PERCENTS = {5, 10, 25, 50, 75, 100};
  private static final int WARM_UPS = 6;
  private static final float RATE = 0.01f;
  private static final long PROBED_NANOS = 10_000_000;
  private static final double LINEAR = 0.95;

  /**
   * What is measured.
   *
   * @param outputs of a batch
   * @param accesses rows that are added up for an output
   * @param turns of each table, of as many whole batches as have a lookup for each row
   */
  record Size(int rows, int dim, int outputs, int accesses, int turns) {}

  private final Size size;
  private final DeviceSpeed slow;
  private final DeviceSpeed dram;
  private final EmulatedWait wait;
  private final LongSupplier threadNanos;
  private final int[] ends;
  private final float[] sums;
  private final float[] gradients;

  /**
   * @param slow the slow device, for one thread
   * @param dram what the slow device's accesses are compared with
   * @param clock of the waits, and for wall time
   * @param threadNanos what the calling thread has spent, in nanoseconds
   */
  EmulatedExperiment(
      Size size, DeviceSpeed slow, DeviceSpeed dram, MemoryClock clock, LongSupplier threadNanos) {
    this.size = size;
    this.slow = slow;
    this.dram = dram;
    wait = EmulatedWait.calibrated(clock);
    this.threadNanos = threadNanos;
    ends = IntStream.rangeClosed(1, size.outputs()).map(i -> i * size.accesses()).toArray();
    sums = new float[size.outputs() * size.dim()];
    gradients = new float[sums.length];
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < gradients.length; i++) {
      gradients[i] = (float) random.nextDouble(-1e-3, 1e-3);
    }
  }

  /** What counts, summed up. */
  private static final class Sums {
    private long lookups;
    private long wallNanos;
    private long lookupNanos;
    private long updateNanos;
    private long flushNanos;
    private long hits;
    private long uses;
    private long updateHits;
    private long updateUses;
    private double readBytes;
    private double writtenBytes;
  }

  /**
   * What a table reached.
   *
   * @param lookups of each turn
   * @param hitRate of lookups; of lines, if hardware caches
   * @param updateHitRate of updated rows, each once in a batch; NaN without updates
   * @param lookupNanos of a lookup, median of the turns
   * @param nanos of a lookup with its share of updates and flushes, in each turn
   * @param wallNanos the same by the clock, median of the turns
   * @param readBytes from the slow device for a lookup
   * @param writtenBytes to it
   */
  record Outcome(
      String policy,
      int percent,
      long[] lookups,
      double hitRate,
      double updateHitRate,
      double lookupNanos,
      double updateNanos,
      double flushNanos,
      double[] nanos,
      double wallNanos,
      double readBytes,
      double writtenBytes) {
    double median() {
      return Medians.of(nanos);
    }
  }

  /** A table with its ids and what it did in each turn. */
  private final class Lane {
    private final String policy;
    private final int percent;
    private final FixedTable table;
    private final @Nullable EmulatedDevice device;
    private final @Nullable TwoLevelDevice hardware;
    private final boolean training;
    private final IdStream ids;
    private final List<Sums> turns = new ArrayList<>();
    private Sums now = new Sums();

    Lane(
        String policy,
        int percent,
        FixedTable table,
        @Nullable EmulatedDevice device,
        @Nullable TwoLevelDevice hardware,
        boolean training,
        IdStream ids) {
      this.policy = policy;
      this.percent = percent;
      this.table = table;
      this.device = device;
      this.hardware = hardware;
      this.training = training;
      this.ids = ids;
    }

    /**
     * Where contents move, with six times as many lookups as the table has rows. With uniform ids
     * all but the last few rows have come by then; with Zipf's law two thirds of them have, so that
     * tables with more room than that are not yet full.
     */
    void warmUp() {
      boolean moving = policy.equals(DYNAMIC) || hardware != null;
      run((moving ? WARM_UPS : 1) * (long) size.rows());
    }

    /** One that counts, after a batch that does not, which brings the table's own data back. */
    void turn() {
      now = new Sums();
      batch();
      now = new Sums();
      run(size.rows());
      turns.add(now);
    }

    private void run(long lookups) {
      for (long done = 0; done < lookups; done += ends[ends.length - 1]) {
        batch();
      }
    }

    private void batch() {
      int[] batch = new int[ends[ends.length - 1]];
      for (int i = 0; i < batch.length; i++) {
        batch[i] = ids.next();
      }
      now.lookups += batch.length;
      FixedStats before = table.stats();
      long reads = device == null ? 0 : device.reads();
      long writes = device == null ? 0 : device.writes();
      now.lookupNanos += timed(() -> lookUp(batch), () -> prepared(batch, false));
      if (training) {
        now.updateNanos += timed(() -> update(batch), () -> prepared(batch, true));
      }
      if (policy.equals(DYNAMIC) && table.isFull()) {
        now.flushNanos += timed(this::flush, () -> {});
      }
      if (hardware == null) {
        FixedStats after = table.stats();
        now.hits += after.hits() - before.hits();
        now.uses += batch.length;
        now.updateHits += after.updatedInDram() - before.updatedInDram();
        now.updateUses +=
            after.updatedInDram()
                - before.updatedInDram()
                + after.updatedInBase()
                - before.updatedInBase();
      }
      if (device != null) {
        long rowBytes = size.dim() * (long) Float.BYTES;
        now.readBytes += (device.reads() - reads) * rowBytes;
        now.writtenBytes += (device.writes() - writes) * rowBytes;
      }
    }

    private long timed(Runnable work, Runnable before) {
      before.run();
      long wall = wait.now();
      long begin = threadNanos.getAsLong();
      work.run();
      long spent = threadNanos.getAsLong() - begin;
      now.wallNanos += wait.now() - wall;
      return spent;
    }

    private void prepared(int[] batch, boolean updates) {
      if (hardware == null) {
        return;
      }
      TagStats before = hardware.stats();
      if (updates) {
        hardware.prepareUpdates(batch, size.rows());
      } else {
        hardware.prepareLookups(batch);
      }
      TagStats used = hardware.stats().since(before);
      if (updates) {
        // Each row is read, then written; no write misses.
        now.updateUses += used.demands() / 2;
        now.updateHits += used.demands() / 2 - used.slowReads();
      } else {
        now.uses += used.demands();
        now.hits += used.hits();
      }
      now.readBytes += used.slowReads() * (double) TwoLevelCache.LINE_BYTES;
      now.writtenBytes += used.slowWrites() * (double) TwoLevelCache.LINE_BYTES;
    }

    private void lookUp(int[] batch) {
      table.lookupPooled(batch, ends, Pooling.SUM, sums);
    }

    private void update(int[] batch) {
      table.phase(Phase.UPDATE);
      table.applySgd(batch, ends, Pooling.SUM, gradients, RATE);
      table.phase(Phase.FORWARD);
    }

    private void flush() {
      table.phase(Phase.FLUSH);
      table.flushDirty();
      table.phase(Phase.FORWARD);
    }

    Outcome outcome() {
      double lookups = turns.stream().mapToLong(turn -> turn.lookups).sum();
      return new Outcome(
          policy,
          percent,
          turns.stream().mapToLong(turn -> turn.lookups).toArray(),
          turns.stream().mapToLong(turn -> turn.hits).sum()
              / (double) turns.stream().mapToLong(turn -> turn.uses).sum(),
          turns.stream().mapToLong(turn -> turn.updateHits).sum()
              / (double) turns.stream().mapToLong(turn -> turn.updateUses).sum(),
          median(turn -> turn.lookupNanos),
          median(turn -> turn.updateNanos),
          median(turn -> turn.flushNanos),
          each(turn -> turn.lookupNanos + turn.updateNanos + turn.flushNanos),
          median(turn -> turn.wallNanos),
          turns.stream().mapToDouble(turn -> turn.readBytes).sum() / lookups,
          turns.stream().mapToDouble(turn -> turn.writtenBytes).sum() / lookups);
    }

    private double[] each(ToDoubleFunction<Sums> nanos) {
      return turns.stream().mapToDouble(turn -> nanos.applyAsDouble(turn) / turn.lookups).toArray();
    }

    private double median(ToDoubleFunction<Sums> nanos) {
      return Medians.of(each(nanos));
    }
  }

  /** Runs one distribution, with lookups only and with updates, and prints what came out. */
  void run(double exponent, PrintWriter out) {
    calibration(out);
    for (boolean training : new boolean[] {false, true}) {
      out.printf(
          Locale.ROOT,
          "%s, %,d rows x %d floats, %s, %d outputs of %d rows a batch, %d turns:%n%n",
          training ? "Lookups and updates" : "Lookups",
          size.rows(),
          size.dim(),
          exponent == 0 ? "uniform" : "Zipf(" + exponent + ")",
          size.outputs(),
          size.accesses(),
          size.turns());
      List<Outcome> outcomes = measure(exponent, training);
      print(outcomes, training, out);
      lines(outcomes, training, out);
      compared(outcomes, out);
    }
  }

  /** What was reached with ids of one distribution. */
  List<Outcome> measure(double exponent, boolean training) {
    List<Lane> lanes = lanes(exponent, training);
    wait.skip(true);
    lanes.forEach(Lane::warmUp);
    wait.skip(false);
    for (int turn = 0; turn < size.turns(); turn++) {
      for (int i = 0; i < lanes.size(); i++) {
        lanes.get(turn % 2 == 0 ? i : lanes.size() - 1 - i).turn();
      }
    }
    return lanes.stream().map(Lane::outcome).toList();
  }

  private List<Lane> lanes(double exponent, boolean training) {
    BaseRows base = BaseRows.heap(size.rows(), size.dim());
    int[] hot =
        IntStream.range(0, size.rows()).map(rank -> IdStream.idOf(rank, size.rows())).toArray();
    long rowBytes = base.rowBytes();
    List<Lane> lanes = new ArrayList<>();
    FixedPolicy simple = new FixedPolicy.Simple();
    FixedTable whole = new FixedTable(base, simple, 1, 0, 0);
    lanes.add(new Lane(ALL_IN_DRAM, 100, whole, null, null, training, ids(exponent)));
    lanes.add(lane(SIMPLE, 0, base, simple, training, exponent));
    for (int percent : PERCENTS) {
      lanes.add(lane(RANDOM, percent, base, new FixedPolicy.Random(1), training, exponent));
      lanes.add(lane(HOT, percent, base, new FixedPolicy.Hot(hot), training, exponent));
      lanes.add(lane(DYNAMIC, percent, base, new FixedPolicy.Dynamic(), training, exponent));
      lanes.add(hardware(HARDWARE, percent, 0, base, training, exponent));
      long check = EmulatedDevice.readNanos(dram, rowBytes);
      lanes.add(hardware(FREE_CHECKS, percent, check, base, training, exponent));
    }
    return lanes;
  }

  private Lane lane(
      String name,
      int percent,
      BaseRows base,
      FixedPolicy policy,
      boolean training,
      double exponent) {
    long bytes = (long) size.rows() * percent / 100 * base.rowBytes();
    EmulatedDevice device = new EmulatedDevice(slow, dram, base.rowBytes(), wait);
    FixedTable table = FixedExperiment.table(base.on(device), policy, bytes);
    return new Lane(name, percent, table, device, null, training, ids(exponent));
  }

  private Lane hardware(
      String name, int percent, long savedNanos, BaseRows base, boolean training, double exponent) {
    long all = size.rows() * base.rowBytes();
    long line = TwoLevelCache.LINE_BYTES;
    TwoLevelCache tags =
        new TwoLevelCache(
            Math.max(line, all * percent / 100 / line * line), all, TwoLevelCache.Options.DEFAULT);
    TwoLevelDevice device = new TwoLevelDevice(slow, savedNanos, base.rowBytes(), tags, wait);
    FixedTable table = new FixedTable(base.on(device), new FixedPolicy.Simple(), 1, 0, 0);
    return new Lane(name, percent, table, null, device, training, ids(exponent));
  }

  private IdStream ids(double exponent) {
    return IdStream.zipf(size.rows(), exponent, 7, 0, 0);
  }

  // ---- printed --------------------------------------------------------------------------------

  private void calibration(PrintWriter out) {
    EmulatedDevice device =
        new EmulatedDevice(slow, dram, BaseRows.heap(1, size.dim()).rowBytes(), wait);
    long start = wait.now();
    wait.elapse(PROBED_NANOS);
    out.printf(
        Locale.ROOT,
        "EMULATED: DRAM with %s, the slow device with %s. Reading a row takes %d ns longer than"
            + " from DRAM, writing one %d ns. A wait of %,d ns took %,d, less %d of each slice.%n%n",
        text(dram),
        text(slow),
        device.readNanos(),
        device.writeNanos(),
        PROBED_NANOS,
        wait.now() - start,
        wait.excessNanos());
  }

  private static String text(DeviceSpeed speed) {
    return String.format(
        Locale.ROOT,
        "reads of %.2f GB/s and %d ns, writes of %.2f GB/s and %d ns",
        speed.readBytesPerSecond() / 1e9,
        speed.readLatencyNanos(),
        speed.writeBytesPerSecond() / 1e9,
        speed.writeLatencyNanos());
  }

  private static void print(List<Outcome> outcomes, boolean training, PrintWriter out) {
    out.println(
        "| EMULATED | DRAM, % | hit rate | hit rate of updates | lookup, ns | update, ns | flush, ns"
            + " | sum, CPU ns/lookup | 95 % | wall ns/lookup | slow bytes read/lookup |"
            + " written/lookup |");
    out.println("|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (Outcome each : outcomes) {
      double[] interval = Medians.interval(each.nanos());
      out.printf(
          Locale.ROOT,
          "| %s | %d | %.4f | %s | %.1f | %s | %.1f | %.1f | %.1f..%.1f | %.1f | %.1f | %.1f |%n",
          each.policy(),
          each.percent(),
          each.policy().equals(ALL_IN_DRAM) ? 1 : each.hitRate(),
          training && !each.policy().equals(ALL_IN_DRAM)
              ? String.format(Locale.ROOT, "%.4f", each.updateHitRate())
              : "-",
          each.lookupNanos(),
          training ? String.format(Locale.ROOT, "%.1f", each.updateNanos()) : "-",
          each.flushNanos(),
          each.median(),
          interval[0],
          interval[1],
          each.wallNanos(),
          each.readBytes(),
          each.writtenBytes());
    }
    out.println();
    out.flush();
  }

  private static void lines(List<Outcome> outcomes, boolean training, PrintWriter out) {
    for (String policy : CACHING) {
      line(policy, "sum over hit rate", outcomes, Outcome::hitRate, Outcome::median, out);
      if (training) {
        line(policy, "lookup over hit rate", outcomes, Outcome::hitRate, Outcome::lookupNanos, out);
        line(
            policy,
            "update over hit rate of updates",
            outcomes,
            Outcome::updateHitRate,
            Outcome::updateNanos,
            out);
      }
    }
    out.println();
    out.flush();
  }

  private static void line(
      String policy,
      String what,
      List<Outcome> outcomes,
      ToDoubleFunction<Outcome> x,
      ToDoubleFunction<Outcome> y,
      PrintWriter out) {
    SimpleRegression line = line(policy, outcomes, x, y);
    out.printf(
        Locale.ROOT,
        "- %s, %s: R^2 of a line %.4f (%.2f asked: %s), slope %.1f ns, %.1f ns without hits%n",
        policy,
        what,
        line.getRSquare(),
        LINEAR,
        line.getRSquare() >= LINEAR ? "met" : "MISSED",
        line.getSlope(),
        line.getIntercept());
  }

  /** Through a policy's outcomes and that of the simple table, which has no hits. */
  static SimpleRegression line(
      String policy,
      List<Outcome> outcomes,
      ToDoubleFunction<Outcome> x,
      ToDoubleFunction<Outcome> y) {
    SimpleRegression line = new SimpleRegression();
    outcomes.stream()
        .filter(each -> each.policy().equals(policy) || each.policy().equals(SIMPLE))
        .forEach(each -> line.addData(x.applyAsDouble(each), y.applyAsDouble(each)));
    return line;
  }

  /** How many times as long hardware takes. */
  private static void compared(List<Outcome> outcomes, PrintWriter out) {
    out.println(
        "| EMULATED: time of the first / time of | DRAM, % | simple | static, random | static, hot |"
            + " dynamic |");
    out.println("|---|---|---|---|---|---|");
    double simple = of(outcomes, SIMPLE, 0).median();
    for (String name : List.of(HARDWARE, FREE_CHECKS)) {
      for (int percent : PERCENTS) {
        double hardware = of(outcomes, name, percent).median();
        out.printf(
            Locale.ROOT,
            "| %s | %d | %.2f | %.2f | %.2f | %.2f |%n",
            name,
            percent,
            hardware / simple,
            hardware / of(outcomes, RANDOM, percent).median(),
            hardware / of(outcomes, HOT, percent).median(),
            hardware / of(outcomes, DYNAMIC, percent).median());
      }
    }
    out.println();
    out.flush();
  }

  static Outcome of(List<Outcome> outcomes, String policy, int percent) {
    return outcomes.stream()
        .filter(each -> each.policy().equals(policy) && each.percent() == percent)
        .findFirst()
        .orElseThrow();
  }
}
