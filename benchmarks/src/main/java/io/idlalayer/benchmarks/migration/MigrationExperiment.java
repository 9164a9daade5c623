package io.idlalayer.benchmarks.migration;

import io.idlalayer.benchmarks.placement.ComparedPolicy;
import io.idlalayer.benchmarks.placement.PageOrder;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.benchmarks.trace.TaskGraphFile;
import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpec;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import io.idlalayer.middleware.placement.plan.redl.RehearsedSearch;
import io.idlalayer.middleware.placement.policies.improved.ImprovedPolicy;
import io.idlalayer.middleware.placement.policies.migrating.Periods;
import io.idlalayer.middleware.placement.policies.migrating.RedlPolicy;
import io.idlalayer.middleware.placement.policies.migrating.SearchedOnline;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * ReDL and what it is compared with (Rang 2021, chapter 6) on recorded steps, and how it answers a
 * slow device that becomes slower during a run. SIMULATED. Prints tables. Arguments: share of the
 * peak, then recorded steps ({@code idla bench tensors --record}). No budget is below 1.2 times the
 * arguments of the largest kernel.
 */
public final class MigrationExperiment {
  private static final int WARM_STEPS = 6;

  /** Steps of a policy that searches its periods while it runs. */
  private static final int SEARCHING_STEPS = 60;

  private static final int STEPS = 6;
  private static final String PAPER = "redl-paper";
  private static final double LEAST_OF_LARGEST = 1.2;
  private static final double SLOWDOWN = 3;
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

    Profile(DeviceSpeed fast, DeviceSpeed slow) {
      this.fast = fast;
      this.slow = slow == null ? DeviceSpeed.slowerThan(fast) : slow;
    }

    TransferTimes times() {
      return new TransferTimes(TierModel.DEFAULT, slow, fast);
    }
  }

  /** Periods of the present step, by the devices that they were searched for. */
  private static final Map<PlanDevices, Periods> SEARCHED = new HashMap<>();

  private MigrationExperiment() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    if (args.length < 2) {
      throw new IllegalArgumentException("arguments: SHARE FILE...");
    }
    double share = Double.parseDouble(args[0]);
    for (Profile profile : Profile.values()) {
      System.out.printf(
          Locale.ROOT,
          "%n## %s: fast %.1f GB/s, slow reads %.1f and writes %.1f GB/s%n",
          profile.name().toLowerCase(Locale.ROOT).replace('_', '-'),
          profile.fast.readBytesPerSecond() / 1e9,
          profile.slow.readBytesPerSecond() / 1e9,
          profile.slow.writeBytesPerSecond() / 1e9);
      for (String file : Arrays.asList(args).subList(1, args.length)) {
        Path path = Path.of(file);
        TaskGraph graph = TaskGraphFile.read(path);
        long wanted =
            Math.max(
                Math.round(share * graph.peakBytes()),
                Math.round(LEAST_OF_LARGEST * graph.largestKernelBytes()));
        PlanDevices devices =
            new PlanDevices(
                aligned(wanted), profile.times(), DeviceSpec.DEFAULT_ALIGN_BYTES, 1);
        System.out.printf(
            Locale.ROOT,
            "%n### %s: %d kernels, peak %.1f MiB, fast %.1f MiB (%.0f %%), %.4f s all fast%n%n",
            path.getFileName().toString().replace(".json", ""),
            graph.kernels().size(),
            graph.peakBytes() / MIB,
            devices.fastBytes() / MIB,
            100.0 * devices.fastBytes() / graph.peakBytes(),
            graph.fastNanos() / 1e9);
        SEARCHED.clear();
        compare(graph, devices);
        drift(graph, devices);
      }
    }
  }

  private static long aligned(long bytes) {
    long align = DeviceSpec.DEFAULT_ALIGN_BYTES;
    return (bytes + align - 1) / align * align;
  }

  private interface Maker {
    PlacementPolicy make() throws InterruptedException;
  }

  private static Map<String, Maker> policies(TaskGraph graph, PlanDevices devices) {
    Map<String, Maker> policies = new LinkedHashMap<>();
    for (ComparedPolicy name :
        List.of(
            ComparedPolicy.ALL_SLOW, ComparedPolicy.FIRST_TOUCH, ComparedPolicy.CACHED_ARRAYS)) {
      policies.put(name.key(), name::create);
    }
    for (int intervals : new int[] {2, 8, 32}) {
      policies.put("page-order/" + intervals, () -> new PageOrder(intervals));
    }
    policies.put(
        PAPER,
        () ->
            new RedlPolicy(
                PAPER, RedlPolicy.Mode.PAPER, new SearchedOnline(), new ImprovedPolicy(PAPER)));
    policies.put("redl", () -> redl(graph, devices));
    return policies;
  }

  private static PlacementPolicy redl(TaskGraph graph, PlanDevices devices)
      throws InterruptedException {
    Periods periods = SEARCHED.get(devices);
    if (periods == null) {
      periods = new RehearsedSearch(graph, devices).best().get(0).periods();
      SEARCHED.put(devices, periods);
    }
    Periods found = periods;
    return new RedlPolicy(
        "redl",
        RedlPolicy.Mode.BY_COST,
        (step, view) -> Optional.of(found),
        new ImprovedPolicy("redl"));
  }

  private static void compare(TaskGraph graph, PlanDevices devices) throws InterruptedException {
    System.out.println(
        "| policy | times all-fast | to fast MiB | to slow MiB | read slow MiB | written slow MiB |"
            + " found fast |\n|---|---|---|---|---|---|---|");
    for (Map.Entry<String, Maker> each : policies(graph, devices).entrySet()) {
      PlacementPolicy policy = each.getValue().make();
      try (SimulatedRun run = new SimulatedRun(graph, devices, policy)) {
        run.steps(each.getKey().equals(PAPER) ? SEARCHING_STEPS : WARM_STEPS, policy);
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
        "%n| slow device %.0f x as slow | anew | after 1, 2, 3, ... steps | steps until 1.05 of"
            + " anew |%n|---|---|---|---|%n",
        SLOWDOWN);
    for (String name : List.of("cached-arrays", "redl")) {
      double anew;
      PlacementPolicy fresh = policies(graph, slowed).get(name).make();
      try (SimulatedRun run = new SimulatedRun(graph, slowed, fresh)) {
        run.steps(WARM_STEPS, fresh);
        anew = (double) run.steps(STEPS, fresh).nanos() / STEPS;
      }
      PlacementPolicy policy = policies(graph, devices).get(name).make();
      StringBuilder steps = new StringBuilder();
      int until = 0;
      try (SimulatedRun run = new SimulatedRun(graph, devices, policy)) {
        run.steps(WARM_STEPS, policy);
        run.slowdown(SLOWDOWN);
        for (int i = 1; i <= STEPS_AFTER; i++) {
          double nanos = run.step();
          steps.append(String.format(Locale.ROOT, " %.3f", nanos / graph.fastNanos()));
          until = nanos > NEAR * anew ? i : until;
        }
      }
      System.out.printf(
          Locale.ROOT,
          "| %s | %.3f |%s | %s |%n",
          name,
          anew / graph.fastNanos(),
          steps,
          until == STEPS_AFTER ? "more than " + STEPS_AFTER : until);
    }
  }
}
