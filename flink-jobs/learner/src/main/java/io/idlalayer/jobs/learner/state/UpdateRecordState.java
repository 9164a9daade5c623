package io.idlalayer.jobs.learner.state;

import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Guarantee;
import org.jspecify.annotations.Nullable;

/**
 * Writes an {@link UpdateRecord} to state and reads it back. A part of the update that has not
 * happened yet is left out. State has its own fields, so that the JSON of the decision topic can
 * change independently.
 */
public final class UpdateRecordState {
  private static final StateFormat FORMAT = StateFormat.first("update record");
  private static final StateFormat FIRING_FORMAT = StateFormat.first("update firing");
  private static final StateFormat TRAINING_FORMAT = StateFormat.first("update training");
  private static final StateFormat TENSORS_FORMAT = StateFormat.first("tensor use");
  private static final StateFormat LENDER_FORMAT = StateFormat.first("lender");

  private UpdateRecordState() {}

  public static byte[] snapshot(UpdateRecord update) {
    StateWriter out =
        FORMAT.writer().putLong(1, update.number()).putBytes(2, snapshot(update.firing()));
    UpdateRecord.Training training = update.training();
    if (training != null) {
      out.putBytes(3, snapshot(training));
    }
    UpdateRecord.Published published = update.published();
    if (published != null) {
      out.putLong(4, published.version()).putLong(5, published.atMillis());
    }
    return out.bytes();
  }

  public static UpdateRecord restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    return new UpdateRecord(
        in.getLong(1),
        restoreFiring(in.getBytes(2)),
        in.has(3) ? restoreTraining(in.getBytes(3)) : null,
        in.has(4) ? new UpdateRecord.Published(in.getLong(4), in.getLong(5)) : null);
  }

  public static byte[] snapshot(UpdateRecord.Firing firing) {
    Grounds grounds = firing.grounds();
    Charge charge = grounds.charge();
    PredictedSeconds predicted = grounds.predicted();
    RuleCosts costs = grounds.basis().costs();
    Guarantee guarantee = grounds.guarantee();
    return FIRING_FORMAT
        .writer()
        .putLong(1, firing.atMillis())
        .putInt(2, firing.newSamples())
        .putInt(3, firing.replayedSamples())
        .putText(4, grounds.rule())
        .putText(5, grounds.reason())
        .putDouble(6, charge.sampleSeconds())
        .putDouble(7, charge.thresholdSampleSeconds())
        .putDouble(8, charge.virtualWaitingSampleSeconds())
        .putDouble(9, predicted.low())
        .putDouble(10, predicted.mean())
        .putDouble(11, predicted.high())
        .putDouble(12, costs.secondsPerSample())
        .putDouble(13, costs.fixedSeconds())
        .putDouble(14, costs.weight())
        .putDouble(15, grounds.basis().urgency())
        .putDouble(16, guarantee.certifiedRatio())
        .putLong(17, guarantee.guardDenials())
        .putLong(18, guarantee.delayedUpdates())
        .putDouble(19, grounds.basis().overhead())
        .bytes();
  }

  public static UpdateRecord.Firing restoreFiring(byte[] snapshot) {
    StateReader in = FIRING_FORMAT.reader(snapshot);
    RuleCosts costs = new RuleCosts(in.getDouble(12), in.getDouble(13), in.getDouble(14));
    Grounds grounds =
        new Grounds(
            in.getText(4),
            in.getText(5),
            new Charge(in.getDouble(6), in.getDouble(7), in.getDouble(8)),
            new PredictedSeconds(in.getDouble(9), in.getDouble(10), in.getDouble(11)),
            new CostBasis(costs, in.getDouble(19), in.getDouble(15)),
            new Guarantee(in.getDouble(16), in.getLong(17), in.getLong(18)));
    return new UpdateRecord.Firing(in.getLong(1), in.getInt(2), in.getInt(3), grounds);
  }

  private static byte[] snapshot(UpdateRecord.Training training) {
    StateWriter out =
        TRAINING_FORMAT
            .writer()
            .putLong(1, training.parentVersion())
            .putDouble(2, training.seconds())
            .putDouble(3, training.meanLossBefore())
            .putDouble(4, training.meanLossAfter());
    TensorUse tensors = training.tensors();
    if (tensors != null) {
      out.putBytes(5, snapshot(tensors));
    }
    return out.bytes();
  }

  private static UpdateRecord.Training restoreTraining(byte[] snapshot) {
    StateReader in = TRAINING_FORMAT.reader(snapshot);
    @Nullable TensorUse tensors = in.has(5) ? restoreTensors(in.getBytes(5)) : null;
    return new UpdateRecord.Training(
        in.getLong(1), in.getDouble(2), in.getDouble(3), in.getDouble(4), tensors);
  }

  private static byte[] snapshot(TensorUse use) {
    StateWriter out = writer(use);
    TensorUse.Plan plan = use.plan();
    if (plan != null) {
      out.putText(17, plan.planner())
          .putDouble(18, plan.step().predicted())
          .putDouble(19, plan.step().measured())
          .putDouble(20, plan.step().unplanned())
          .putDouble(21, plan.step().bound())
          .putDouble(22, plan.planningSeconds())
          .putLong(23, plan.differingSteps())
          .putText(24, plan.refused());
    }
    TensorUse.Loans loans = use.loans();
    if (loans != null) {
      out.putLong(25, loans.bytes())
          .putLong(26, loans.copiedBytes())
          .putLong(27, loans.losses())
          .putLong(28, loans.nanos())
          .putLong(29, loans.localNanos())
          .putList(30, loans.lenders().stream().map(UpdateRecordState::snapshot).toList());
    }
    // Tags ascend.
    if (plan != null) {
      out.putLong(31, plan.rerunKernels());
    }
    return out.bytes();
  }

  private static byte[] snapshot(TensorUse.Lender lender) {
    return LENDER_FORMAT
        .writer()
        .putText(1, lender.address())
        .putLong(2, lender.bytes())
        .putLong(3, lender.losses())
        .putLong(4, lender.nanos())
        .bytes();
  }

  private static StateWriter writer(TensorUse use) {
    return TENSORS_FORMAT
        .writer()
        .putText(1, use.policy())
        .putLong(2, use.copied().fastToSlowBytes())
        .putLong(3, use.copied().slowToFastBytes())
        .putLong(4, use.onSlow().readBytes())
        .putLong(5, use.onSlow().writtenBytes())
        .putLong(6, use.arguments().hits())
        .putLong(7, use.arguments().misses())
        .putDouble(8, use.stallSeconds())
        .putLong(9, use.evictions().forced())
        .putLong(10, use.evictions().avoidedWriteBackBytes())
        .putLong(11, use.fast().highWaterBytes())
        .putLong(12, use.fast().bytes())
        .putDouble(13, use.slow().readBytesPerSecond())
        .putDouble(14, use.slow().writeBytesPerSecond())
        .putLong(15, use.slow().bytes())
        .putLong(16, use.slow().highWaterBytes());
  }

  private static TensorUse restoreTensors(byte[] snapshot) {
    StateReader in = TENSORS_FORMAT.reader(snapshot);
    return new TensorUse(
        in.getText(1),
        new TensorUse.Copied(in.getLong(2), in.getLong(3)),
        new TensorUse.OnSlow(in.getLong(4), in.getLong(5)),
        new TensorUse.Arguments(in.getLong(6), in.getLong(7)),
        in.getDouble(8),
        new TensorUse.Evictions(in.getLong(9), in.getLong(10)),
        new TensorUse.FastDevice(in.getLong(12), in.getLong(11)),
        new TensorUse.SlowDevice(
            in.getLong(15), in.getLong(16), in.getDouble(13), in.getDouble(14)),
        in.has(17) ? restorePlan(in) : null,
        in.has(25) ? restoreLoans(in) : null);
  }

  private static TensorUse.Loans restoreLoans(StateReader in) {
    return new TensorUse.Loans(
        in.getLong(25),
        in.getLong(26),
        in.getLong(27),
        in.getLong(28),
        in.getLong(29),
        in.getList(30).stream().map(UpdateRecordState::restoreLender).toList());
  }

  private static TensorUse.Lender restoreLender(byte[] snapshot) {
    StateReader in = LENDER_FORMAT.reader(snapshot);
    return new TensorUse.Lender(in.getText(1), in.getLong(2), in.getLong(3), in.getLong(4));
  }

  private static TensorUse.Plan restorePlan(StateReader in) {
    return new TensorUse.Plan(
        in.getText(17),
        new TensorUse.StepSeconds(
            in.getDouble(18), in.getDouble(19), in.getDouble(20), in.getDouble(21)),
        in.getDouble(22),
        in.getLong(23),
        in.getLong(31),
        in.getText(24));
  }
}
