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

/** The measurements of a policy, or of training without placement, over all of its turns. */
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

  /** Starts a turn. The steps that follow belong to this turn. */
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

  /** Returns the speed of the slow device, corrected by the copies of the last turn. */
  DeviceSpeed slowSpeed() {
    return Objects.requireNonNull(slowSpeed, "no turn has ended");
  }

  /** Sets how the policy used plans in the last turn; empty if the policy uses none. */
  void planUse(Optional<PlanUse> use) {
    planUse = use.orElse(null);
  }

  /** Returns how the policy used plans in the last turn; empty if the policy uses none. */
  Optional<PlanUse> planUse() {
    return Optional.ofNullable(planUse);
  }

  void digest(String digest) {
    digests.add(digest);
  }

  /** Returns the digests of the parameters after each turn. */
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

  /** Returns the bounds of the median in seconds, with 95 % confidence. */
  double[] intervalSeconds() {
    return Repeats.interval(allSeconds());
  }

  /**
   * Returns, for each turn, the median time of a step divided by that of another row. Load of the
   * machine that slows both rows cancels out.
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

  /** Returns the mean of a count over all steps of all turns, rounded. */
  long perStep(ToLongFunction<StepTraffic> count) {
    long total = turns.stream().mapToLong(count).sum();
    long steps = turnSteps();
    return steps == 0 ? 0 : Math.round((double) total / steps);
  }

  /** Returns the number of steps in the turns whose traffic is known. */
  long turnSteps() {
    return turns.stream().mapToLong(StepTraffic::steps).sum();
  }

  /** Returns the costs of the policy's actions in these steps, by the reason of the actions. */
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
