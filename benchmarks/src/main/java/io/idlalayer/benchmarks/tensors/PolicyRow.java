package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.benchmarks.trace.StepTraffic;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.engine.PlacementStats.ActionCost;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** What was measured under a policy, or without placement, over all of its turns. */
final class PolicyRow {
  private final String name;
  private final long budgetBytes;
  private final List<List<Double>> seconds = new ArrayList<>();
  private final List<StepTraffic> turns = new ArrayList<>();
  private final List<String> digests = new ArrayList<>();
  private @Nullable DeviceSpeed slowSpeed;
  private @Nullable PlanUse planUse;

  PolicyRow(String name, long budgetBytes) {
    this.name = name;
    this.budgetBytes = budgetBytes;
  }

  String name() {
    return name;
  }

  long budgetBytes() {
    return budgetBytes;
  }

  /** The steps that follow are those of another turn. */
  void startTurn() {
    seconds.add(new ArrayList<>());
  }

  void step(double stepSeconds) {
    seconds.get(seconds.size() - 1).add(stepSeconds);
  }

  void turn(StepTraffic traffic) {
    turns.add(traffic);
  }

  void slowSpeed(DeviceSpeed found) {
    slowSpeed = found;
  }

  /** Speed of the slow device, corrected by the copies of the last turn. */
  DeviceSpeed slowSpeed() {
    return Objects.requireNonNull(slowSpeed, "no turn has ended");
  }

  /** Takes how the policy used plans in the last turn; empty if it has none. */
  void planUse(Optional<PlanUse> use) {
    planUse = use.orElse(null);
  }

  /** Returns how the policy used plans in the last turn; empty if it has none. */
  Optional<PlanUse> planUse() {
    return Optional.ofNullable(planUse);
  }

  void digest(String digest) {
    digests.add(digest);
  }

  /** Digests of the parameters after each turn. */
  List<String> digests() {
    return digests;
  }

  int steps() {
    return allSeconds().length;
  }

  private double[] allSeconds() {
    return seconds.stream().flatMap(List::stream).mapToDouble(Double::doubleValue).toArray();
  }

  double medianSeconds() {
    return Repeats.median(allSeconds());
  }

  /** Bounds of the median with 95 % confidence. */
  double[] intervalSeconds() {
    return Repeats.interval(allSeconds());
  }

  /**
   * How many times as long as others a step took, turn by turn: what a machine does to all alike
   * cancels out.
   */
  double[] timesOf(PolicyRow other) {
    double[] times = new double[seconds.size()];
    for (int turn = 0; turn < times.length; turn++) {
      times[turn] = medianOfTurn(turn) / other.medianOfTurn(turn);
    }
    return times;
  }

  private double medianOfTurn(int turn) {
    return Repeats.median(seconds.get(turn).stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Mean of a count over all steps of all turns, rounded. */
  long perStep(ToLongFunction<StepTraffic> count) {
    long total = turns.stream().mapToLong(count).sum();
    long steps = turnSteps();
    return steps == 0 ? 0 : Math.round((double) total / steps);
  }

  /** Steps of the turns whose traffic is known. */
  long turnSteps() {
    return turns.stream().mapToLong(StepTraffic::steps).sum();
  }

  /** What the policy's actions took in all of those steps, by their reason. */
  Map<Reason, ActionCost> actions() {
    Map<Reason, ActionCost> all = new EnumMap<>(Reason.class);
    for (StepTraffic turn : turns) {
      turn.actions().forEach((reason, cost) -> all.merge(reason, cost, ActionCost::plus));
    }
    return all;
  }

  long highWaterBytes() {
    return turns.stream().mapToLong(StepTraffic::highWaterBytes).max().orElse(0);
  }
}
