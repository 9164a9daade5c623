package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.Grounds;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.modelcontroller.cost.PredictedSeconds;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelcontroller.training.placed.TensorTraffic;
import io.idlalayer.modelcontroller.update.RuleCosts;
import io.idlalayer.modelcontroller.update.UpdateDecision.Charge;
import io.idlalayer.modelcontroller.update.UpdateDecision.CostBasis;
import io.idlalayer.modelcontroller.update.UpdateDecision.Guarantee;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Makes the parts of an {@link UpdateRecord}, and writes them to state and reads them. */
final class UpdateRecords {
  private static final double NANOS_PER_SECOND = 1e9;

  private UpdateRecords() {}

  /**
   * What a training was like.
   *
   * @param parentVersion published version that it continues
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
        traffic.fastToSlowBytes(),
        traffic.slowToFastBytes(),
        traffic.slowReadBytes(),
        traffic.slowWrittenBytes(),
        traffic.fastUses(),
        traffic.slowUses(),
        traffic.stallNanos() / NANOS_PER_SECOND,
        traffic.forcedEvictions(),
        traffic.avoidedWriteBackBytes(),
        traffic.highWaterBytes(),
        traffic.fastBytes());
  }

  static void write(DataOutputStream out, UpdateRecord update) throws IOException {
    out.writeLong(update.number());
    write(out, update.firing());
    UpdateRecord.Training training = update.training();
    out.writeBoolean(training != null);
    if (training != null) {
      out.writeLong(training.parentVersion());
      out.writeDouble(training.seconds());
      out.writeDouble(training.meanLossBefore());
      out.writeDouble(training.meanLossAfter());
      write(out, training.tensors());
    }
    UpdateRecord.Published published = update.published();
    out.writeBoolean(published != null);
    if (published != null) {
      out.writeLong(published.version());
      out.writeLong(published.atMillis());
    }
  }

  static UpdateRecord read(DataInputStream in) throws IOException {
    long number = in.readLong();
    UpdateRecord.Firing firing = readFiring(in);
    UpdateRecord.Training training = null;
    if (in.readBoolean()) {
      training =
          new UpdateRecord.Training(
              in.readLong(), in.readDouble(), in.readDouble(), in.readDouble(), readTensors(in));
    }
    UpdateRecord.Published published = null;
    if (in.readBoolean()) {
      published = new UpdateRecord.Published(in.readLong(), in.readLong());
    }
    return new UpdateRecord(number, firing, training, published);
  }

  static void write(DataOutputStream out, UpdateRecord.Firing firing) throws IOException {
    out.writeLong(firing.atMillis());
    out.writeInt(firing.newSamples());
    out.writeInt(firing.replayedSamples());
    Grounds grounds = firing.grounds();
    out.writeUTF(grounds.rule());
    out.writeUTF(grounds.reason());
    Charge charge = grounds.charge();
    out.writeDouble(charge.sampleSeconds());
    out.writeDouble(charge.thresholdSampleSeconds());
    out.writeDouble(charge.virtualWaitingSampleSeconds());
    PredictedSeconds predicted = grounds.predicted();
    out.writeDouble(predicted.low());
    out.writeDouble(predicted.mean());
    out.writeDouble(predicted.high());
    CostBasis basis = grounds.basis();
    out.writeDouble(basis.costs().secondsPerSample());
    out.writeDouble(basis.costs().fixedSeconds());
    out.writeDouble(basis.costs().weight());
    out.writeDouble(basis.urgency());
    Guarantee guarantee = grounds.guarantee();
    out.writeDouble(guarantee.certifiedRatio());
    out.writeLong(guarantee.guardDenials());
    out.writeLong(guarantee.delayedUpdates());
  }

  static UpdateRecord.Firing readFiring(DataInputStream in) throws IOException {
    return new UpdateRecord.Firing(
        in.readLong(),
        in.readInt(),
        in.readInt(),
        new Grounds(
            in.readUTF(),
            in.readUTF(),
            new Charge(in.readDouble(), in.readDouble(), in.readDouble()),
            new PredictedSeconds(in.readDouble(), in.readDouble(), in.readDouble()),
            new CostBasis(
                new RuleCosts(in.readDouble(), in.readDouble(), in.readDouble()), in.readDouble()),
            new Guarantee(in.readDouble(), in.readLong(), in.readLong())));
  }

  private static void write(DataOutputStream out, @Nullable TensorUse use) throws IOException {
    out.writeBoolean(use != null);
    if (use == null) {
      return;
    }
    out.writeUTF(use.policy());
    out.writeLong(use.bytesFastToSlow());
    out.writeLong(use.bytesSlowToFast());
    out.writeLong(use.slowReadBytes());
    out.writeLong(use.slowWrittenBytes());
    out.writeLong(use.hits());
    out.writeLong(use.misses());
    out.writeDouble(use.stallSeconds());
    out.writeLong(use.forcedEvictions());
    out.writeLong(use.avoidedWriteBackBytes());
    out.writeLong(use.fastHighWaterBytes());
    out.writeLong(use.fastBytes());
  }

  private static @Nullable TensorUse readTensors(DataInputStream in) throws IOException {
    if (!in.readBoolean()) {
      return null;
    }
    return new TensorUse(
        in.readUTF(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readDouble(),
        in.readLong(),
        in.readLong(),
        in.readLong(),
        in.readLong());
  }
}
