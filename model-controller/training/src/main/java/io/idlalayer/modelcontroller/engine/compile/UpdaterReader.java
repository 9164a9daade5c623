package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.update.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;
import io.idlalayer.modelcontroller.engine.kernel.update.UpdaterStep;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.linalg.learning.config.IUpdater;
import org.nd4j.linalg.learning.config.Nesterovs;
import org.nd4j.linalg.learning.config.NoOp;
import org.nd4j.linalg.learning.config.Sgd;
import org.nd4j.linalg.learning.regularization.L1Regularization;
import org.nd4j.linalg.learning.regularization.L2Regularization;
import org.nd4j.linalg.learning.regularization.Regularization;
import org.nd4j.linalg.learning.regularization.WeightDecay;
import org.nd4j.linalg.schedule.CycleSchedule;
import org.nd4j.linalg.schedule.ExponentialSchedule;
import org.nd4j.linalg.schedule.FixedSchedule;
import org.nd4j.linalg.schedule.ISchedule;
import org.nd4j.linalg.schedule.InverseSchedule;
import org.nd4j.linalg.schedule.MapSchedule;
import org.nd4j.linalg.schedule.PolySchedule;
import org.nd4j.linalg.schedule.ScheduleType;
import org.nd4j.linalg.schedule.SigmoidSchedule;
import org.nd4j.linalg.schedule.StepSchedule;

/** Converts Deeplearning4j's updaters, schedules and regularization into those of the engine. */
final class UpdaterReader {
  private UpdaterReader() {}

  static UpdaterStep rule(IUpdater configured) throws UncompilableException {
    // The network may change its own later.
    IUpdater updater = configured.clone();
    if (updater instanceof Sgd sgd) {
      return new UpdaterStep.Sgd(rate(sgd.getLearningRateSchedule(), updater));
    } else if (updater instanceof Nesterovs nesterovs) {
      return new UpdaterStep.Nesterovs(
          rate(nesterovs.getLearningRateSchedule(), updater),
          moving("the momentum", nesterovs.getMomentumISchedule(), nesterovs::currentMomentum));
    } else if (updater instanceof Adam adam) {
      return new UpdaterStep.Adam(
          rate(adam.getLearningRateSchedule(), updater),
          adam.getBeta1(),
          adam.getBeta2(),
          adam.getEpsilon());
    } else if (updater instanceof NoOp) {
      return new UpdaterStep.None();
    }
    throw new UncompilableException(
        "the updater %s is not known, only Sgd, Nesterovs and Adam"
            .formatted(updater.getClass().getSimpleName()));
  }

  private static Schedule rate(@Nullable ISchedule configured, IUpdater updater)
      throws UncompilableException {
    return moving("the learning rate", configured, updater::getLearningRate);
  }

  /**
   * Returns a schedule after a check that it depends on iterations. A learner has no epochs, so a
   * schedule that depends on epochs would always have its first value.
   *
   * @param what name of the scheduled number, for messages
   * @param configured the configured schedule; null for a constant
   * @param read the schedule that computes its values
   */
  static Schedule moving(String what, @Nullable ISchedule configured, Schedule read)
      throws UncompilableException {
    if (configured == null || configured instanceof FixedSchedule) {
      return read;
    }
    if (type(what, configured) == ScheduleType.EPOCH) {
      throw new UncompilableException(
          "%s has a schedule of ScheduleType.EPOCH, which would never move, since a learner counts no epochs; use ScheduleType.ITERATION, which counts mini-batches"
              .formatted(what));
    }
    return read;
  }

  private static ScheduleType type(String what, ISchedule configured) throws UncompilableException {
    if (configured instanceof StepSchedule it) {
      return it.getScheduleType();
    } else if (configured instanceof ExponentialSchedule it) {
      return it.getScheduleType();
    } else if (configured instanceof InverseSchedule it) {
      return it.getScheduleType();
    } else if (configured instanceof PolySchedule it) {
      return it.getScheduleType();
    } else if (configured instanceof SigmoidSchedule it) {
      return it.getScheduleType();
    } else if (configured instanceof MapSchedule it) {
      return it.getScheduleType();
    } else if (configured instanceof CycleSchedule it) {
      return it.getScheduleType();
    }
    throw new UncompilableException(
        "the schedule %s of %s is not known"
            .formatted(configured.getClass().getSimpleName(), what));
  }

  static Penalty penalty(String parameters, @Nullable List<Regularization> configured)
      throws UncompilableException {
    if (configured == null || configured.isEmpty()) {
      return Penalty.NONE;
    }
    Schedule l1 = Schedule.NONE;
    Schedule l2 = Schedule.NONE;
    Schedule decay = Schedule.NONE;
    boolean timesRate = false;
    for (Regularization each : configured) {
      if (each instanceof L1Regularization it) {
        l1 = sum(l1, schedule(it.getL1()));
      } else if (each instanceof L2Regularization it) {
        l2 = sum(l2, schedule(it.getL2()));
      } else if (each instanceof WeightDecay it && (decay.none() || timesRate == it.isApplyLR())) {
        decay = sum(decay, schedule(it.getCoeff()));
        timesRate = it.isApplyLR();
      } else {
        throw new UncompilableException(
            "the regularization of %s by %s is not known, only L1, L2 and WeightDecay of one kind"
                .formatted(parameters, each));
      }
    }
    return new Penalty(l1, l2, decay, timesRate);
  }

  /**
   * Returns the sum of two schedules, because a list of penalties may have one kind more than once;
   * Deeplearning4j then applies each.
   */
  private static Schedule sum(Schedule one, Schedule other) {
    if (one.none()) {
      return other;
    }
    return other.none()
        ? one
        : (iteration, epoch) -> one.at(iteration, epoch) + other.at(iteration, epoch);
  }

  private static Schedule schedule(ISchedule configured) throws UncompilableException {
    ISchedule schedule = configured.clone();
    return schedule instanceof FixedSchedule && schedule.valueAt(0, 0) == 0
        ? Schedule.NONE
        : moving("the regularization", schedule, schedule::valueAt);
  }
}
