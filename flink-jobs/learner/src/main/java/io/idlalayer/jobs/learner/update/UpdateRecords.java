package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.events.StepPlan;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.lending.borrower.LoanUse;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.api.PlanUse;
import io.idlalayer.middleware.placement.api.StepCurve;
import io.idlalayer.modelcontroller.engine.memory.LentPlaces;
import io.idlalayer.modelcontroller.engine.memory.TensorTraffic;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Creates parts of an {@link UpdateRecord} from the results of trainings and of the controllers.
 */
final class UpdateRecords {
  private static final double NANOS_PER_SECOND = 1e9;

  private UpdateRecords() {}

  /**
   * Returns the record of a training that has ended.
   *
   * @param parentVersion published version from which the training continues
   */
  static UpdateRecord.Training training(
      TrainingResult result, long parentVersion, PlacementName policy) {
    return new UpdateRecord.Training(
        parentVersion,
        result.trainSeconds(),
        result.meanLossBefore(),
        result.meanLossAfter(),
        tensors(result.traffic(), policy));
  }

  private static @Nullable TensorUse tensors(
      @Nullable TensorTraffic traffic, PlacementName policy) {
    if (traffic == null) {
      return null;
    }
    return new TensorUse(
        policy.key(),
        new TensorUse.Copied(traffic.fastToSlowBytes(), traffic.slowToFastBytes()),
        new TensorUse.OnSlow(traffic.slowReadBytes(), traffic.slowWrittenBytes()),
        new TensorUse.Arguments(traffic.fastUses(), traffic.slowUses()),
        traffic.stallNanos() / NANOS_PER_SECOND,
        new TensorUse.Evictions(traffic.forcedEvictions(), traffic.avoidedWriteBackBytes()),
        new TensorUse.FastDevice(traffic.fastBytes(), traffic.highWaterBytes()),
        new TensorUse.SlowDevice(
            traffic.slowBytes(),
            traffic.slowHighWaterBytes(),
            traffic.slowSpeed().readBytesPerSecond(),
            traffic.slowSpeed().writeBytesPerSecond()),
        plan(traffic.plan()),
        loans(traffic.lent()));
  }

  private static TensorUse.@Nullable Loans loans(@Nullable LentPlaces lent) {
    if (lent == null) {
      return null;
    }
    List<LoanUse> lenders = lent.lenders();
    return new TensorUse.Loans(
        lenders.stream().mapToLong(LoanUse::bytes).sum(),
        lent.totals().copiedBytes(),
        lent.totals().losses(),
        lenders.stream().mapToLong(LoanUse::roundTripNanos).filter(n -> n > 0).min().orElse(0),
        lent.localNanos(),
        lenders.stream()
            .map(
                each ->
                    new TensorUse.Lender(
                        each.lender().toString(),
                        each.bytes(),
                        each.losses(),
                        each.roundTripNanos()))
            .toList());
  }

  private static TensorUse.@Nullable Plan plan(@Nullable PlanUse use) {
    if (use == null) {
      return null;
    }
    return new TensorUse.Plan(
        use.planner(),
        new TensorUse.StepSeconds(
            use.predictedNanos() / NANOS_PER_SECOND,
            use.measuredNanos() / NANOS_PER_SECOND,
            use.unplannedNanos() / NANOS_PER_SECOND,
            use.boundNanos() / NANOS_PER_SECOND),
        use.planningNanos() / NANOS_PER_SECOND,
        use.differingSteps(),
        use.rerunKernels(),
        refused(use));
  }

  private static String refused(PlanUse use) {
    return use.refused().entrySet().stream()
        .map(each -> each.getKey() + ": " + each.getValue())
        .sorted()
        .collect(Collectors.joining("; "));
  }

  /** Returns the report about the plan that a step follows. */
  static StepPlan stepPlan(PlanUse use) {
    StepCurve curve = use.curve();
    return new StepPlan(
        use.planner(),
        refused(use),
        curve.kernels(),
        curve.kernelsPerPoint(),
        curve.backwardKernel(),
        curve.updateKernel(),
        curve.budgetBytes(),
        curve.peakBytes(),
        column(curve, StepCurve.Point::aliveBytes),
        column(curve, StepCurve.Point::fastBytes),
        column(curve, StepCurve.Point::fetchedBytes),
        column(curve, StepCurve.Point::writtenBackBytes),
        column(curve, StepCurve.Point::evictedBytes));
  }

  private static List<Long> column(StepCurve curve, Function<StepCurve.Point, Long> bytes) {
    return curve.points().stream().map(bytes).toList();
  }
}
