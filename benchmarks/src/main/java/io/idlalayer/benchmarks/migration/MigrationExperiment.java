package io.idlalayer.benchmarks.migration;

import io.idlalayer.benchmarks.placement.PageOrder;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * ReDL and what it is compared with (Rang 2021, chapter 6) on recorded steps, and how it answers a
 * slow device that becomes slower during a run. SIMULATED. Prints tables. Arguments: share of the
 * peak, profile of the devices, then recorded steps ({@code idla bench tensors --record}). No
 * budget is below 1.2 times the arguments of the largest kernel.
 */
public final class MigrationExperiment {
  /** Steps until a policy has measured, planned and tried. */
  private static final int WARM_STEPS = 14;

  /** Steps of a policy that searches its periods step by step. */
  private static final int SEARCHING_STEPS = 8;

  private static final int STEPS = 3;
  private static final double LEAST_OF_LARGEST = 1.2;
  private static final double SLOWDOWN = 3;

  /** Steps after the slowdown during which no new plan is made. */
  private static final int STEPS_WITHOUT_PLAN = 6;

  private static final int STEPS_AFTER = 12;
  private static final double NEAR = 1.05;
  private static final double MIB = 1 << 20;

  /** The devices of this project's other experiments, and those of the source. */
  private enum Profile {
    PERSISTENT(DeviceSpeed.symmetric(15e9, 100), null),
    TABLE_6_1(DeviceSpeed.symmetric(36e9, 90), DeviceSpeed.symmetric(18e9, 200)),
    CHAPTER_2(DeviceSpeed.symmetric(34e9, 90), DeviceSpeed.symmetric(19e9, 200));

    private final DeviceSpeed fast;
    private final DeviceSpeed slow;

    Profile(DeviceSpeed fast, @Nullable DeviceSpeed slow) {
      this.fast = fast;
      this.slow = slow == null ? DeviceSpeed.slowerThan(fast) : slow;
    }

    String key() {
      return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    TransferTimes times() {
      return new TransferTimes(TierModel.DEFAULT, slow, fast);
    }
  }

  /** A desk that plans at once, or when it is told to. */
  private static final class Desk {
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private boolean late;
    private final PlanDesk desk =
        PlanDesk.on(
            work -> {
              if (late) {
                waiting.add(work);
              } else {
                work.run();
              }
            },
            null,
            System::nanoTime);

    void plan() {
      late = false;
      while (!waiting.isEmpty()) {
        waiting.remove().run();
      }
    }
  }

  private interface Maker {
    PlacementPolicy make(PlanDesk desk);
  }

  private MigrationExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 3) {
      throw new IllegalArgumentException("arguments: SHARE PROFILE FILE...");
    }
    double share = Double.parseDouble(args[0]);
    Profile profile =
        Arrays.stream(Profile.values())
            .filter(each -> each.key().equals(args[1]))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("no profile is called " + args[1]));
    System.out.printf(
        Locale.ROOT,
        "## %s: fast %.1f GB/s, slow reads %.1f and writes %.1f GB/s%n",
        profile.key(),
        profile.fast.readBytesPerSecond() / 1e9,
        profile.slow.readBytesPerSecond() / 1e9,
        profile.slow.writeBytesPerSecond() / 1e9);
    for (String file : Arrays.asList(args).subList(2, args.length)) {
      Path path = Path.of(file);
      TaskGraph graph = TaskGraphFile.read(path);
      long wanted =
          Math.max(
              Math.round(share * graph.peakBytes()),
              Math.round(LEAST_OF_LARGEST * graph.largestKernelBytes()));
      PlanDevices devices =
          new PlanDevices(aligned(wanted), profile.times(), DeviceSpec.DEFAULT_ALIGN_BYTES, 1);
      System.out.printf(
          Locale.ROOT,
          "%n### %s: %d kernels, peak %.1f MiB, fast %.1f MiB (%.0f %%), %.4f s all fast%n%n",
          path.getFileName().toString().replace(".json", ""),
          graph.kernels().size(),
          graph.peakBytes() / MIB,
          devices.fastBytes() / MIB,
          100.0 * devices.fastBytes() / graph.peakBytes(),
          graph.fastNanos() / 1e9);
      compare(graph, devices);
      drift(graph, devices);
    }
  }

  private static long aligned(long bytes) {
    long align = DeviceSpec.DEFAULT_ALIGN_BYTES;
    return (bytes + align - 1) / align * align;
  }

  private static Map<String, Maker> policies() {
    Map<String, Maker> policies = new LinkedHashMap<>();
    for (PlacementName name :
        List.of(
            PlacementName.ALL_SLOW,
            PlacementName.FIRST_TOUCH,
            PlacementName.CACHED_ARRAYS,
            PlacementName.REDL_PAPER,
            PlacementName.REDL,
            PlacementName.AUTO)) {
      policies.put(name.key(), name::create);
    }
    for (int intervals : new int[] {8, 32, 128}) {
      policies.put("page-order, %d a step".formatted(intervals), desk -> new PageOrder(intervals));
    }
    return policies;
  }

  private static void compare(TaskGraph graph, PlanDevices devices) throws InterruptedException {
    System.out.println(
        "| policy | times all-fast | to fast MiB | to slow MiB | read slow MiB | written slow MiB |"
            + " found fast |\n|---|---|---|---|---|---|---|");
    for (Map.Entry<String, Maker> each : policies().entrySet()) {
      PlacementPolicy policy = each.getValue().make(new Desk().desk);
      try (SimulatedRun run = new SimulatedRun(graph, devices, policy)) {
        boolean searches = each.getKey().equals(PlacementName.REDL_PAPER.key());
        run.steps(searches ? SEARCHING_STEPS : WARM_STEPS, policy);
        StepTraffic moved = run.steps(STEPS, policy);
        System.out.printf(
            Locale.ROOT,
            "| %s | %.3f | %.1f | %.1f | %.1f | %.1f | %.1f %% |%n",
            each.getKey(),
            (double) moved.nanos() / STEPS / graph.fastNanos(),
            moved.bytesSlowToFast() / MIB / STEPS,
            moved.bytesFastToSlow() / MIB / STEPS,
            moved.slowReadBytes() / MIB / STEPS,
            moved.slowWrittenBytes() / MIB / STEPS,
            100.0 * moved.hits() / Math.max(1, moved.hits() + moved.misses()));
      }
    }
  }

  /**
   * Makes the slow device slower after some steps. Plans are made anew only after {@value
   * #STEPS_WITHOUT_PLAN} further ones, because planning takes time.
   */
  private static void drift(TaskGraph graph, PlanDevices devices) throws InterruptedException {
    TransferTimes times = devices.times();
    PlanDevices slowed =
        new PlanDevices(
            devices.fastBytes(),
            new TransferTimes(
                times.model(), times.slow().slowedBy(SLOWDOWN, SLOWDOWN), times.fast()),
            devices.granuleBytes(),
            devices.seed());
    System.out.printf(
        Locale.ROOT,
        "%n| slow device %.0f x as slow | before | planned for it | steps after it, new plans from"
            + " step %d on | steps above 1.05 of planned |%n|---|---|---|---|---|%n",
        SLOWDOWN,
        STEPS_WITHOUT_PLAN + 1);
    for (PlacementName name :
        List.of(
            PlacementName.CACHED_ARRAYS,
            PlacementName.REDL,
            PlacementName.AUTOVM,
            PlacementName.AUTO)) {
      double planned;
      PlacementPolicy fresh = name.create(new Desk().desk);
      try (SimulatedRun run = new SimulatedRun(graph, slowed, fresh)) {
        run.steps(WARM_STEPS, fresh);
        planned = (double) run.steps(STEPS, fresh).nanos() / STEPS;
      }
      Desk desk = new Desk();
      PlacementPolicy policy = name.create(desk.desk);
      StringBuilder steps = new StringBuilder();
      double before;
      int above = 0;
      try (SimulatedRun run = new SimulatedRun(graph, devices, policy)) {
        run.steps(WARM_STEPS, policy);
        before = run.step();
        desk.late = true;
        run.slowdown(SLOWDOWN);
        for (int i = 1; i <= STEPS_AFTER; i++) {
          if (i == STEPS_WITHOUT_PLAN + 1) {
            desk.plan();
          }
          double nanos = run.step();
          steps.append(String.format(Locale.ROOT, " %.3f", nanos / graph.fastNanos()));
          above = nanos > NEAR * planned ? i : above;
        }
      }
      System.out.printf(
          Locale.ROOT,
          "| %s | %.3f | %.3f |%s | %s |%n",
          name.key(),
          before / graph.fastNanos(),
          planned / graph.fastNanos(),
          steps,
          above == STEPS_AFTER ? "all" : above);
    }
  }
}
