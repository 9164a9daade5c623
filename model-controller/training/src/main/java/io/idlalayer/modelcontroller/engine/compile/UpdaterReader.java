package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.update.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;
import io.idlalayer.modelcontroller.engine.kernel.update.UpdaterStep;
import java.util.List;

/** Reads Deeplearning4j's updaters and regularization. */
final class UpdaterReader {
  private static final String LEARNING_RATE = "learningRate";

  private UpdaterReader() {}

  static UpdaterStep rule(Settings updater) throws UncompilableException {
    String type = updater.simpleName();
    return switch (type) {
      case "Sgd" -> new UpdaterStep.Sgd(rate(updater));
      case "Nesterovs" ->
          new UpdaterStep.Nesterovs(
              rate(updater),
              ScheduleReader.read("the momentum", updater, "momentumISchedule", "momentum"));
      case "Adam" ->
          new UpdaterStep.Adam(
              rate(updater),
              updater.constant("beta1"),
              updater.constant("beta2"),
              updater.constant("epsilon"));
      case "NoOp" -> new UpdaterStep.None();
      default ->
          throw new UncompilableException(
              "the updater %s is not known, only Sgd, Nesterovs and Adam".formatted(type));
    };
  }

  private static Schedule rate(Settings updater) throws UncompilableException {
    return ScheduleReader.read("the learning rate", updater, "learningRateSchedule", LEARNING_RATE);
  }

  static Penalty penalty(String parameters, List<Settings> configured)
      throws UncompilableException {
    Schedule l1 = Schedule.NONE;
    Schedule l2 = Schedule.NONE;
    Schedule decay = Schedule.NONE;
    boolean timesRate = false;
    for (Settings each : configured) {
      String type = each.simpleName();
      if (type.equals("L1Regularization")) {
        l1 = sum(l1, schedule(each, "l1"));
      } else if (type.equals("L2Regularization")) {
        l2 = sum(l2, schedule(each, "l2"));
      } else if (type.equals("WeightDecay")
          && (decay.none() || timesRate == each.flag("applyLR"))) {
        decay = sum(decay, schedule(each, "coeff"));
        timesRate = each.flag("applyLR");
      } else {
        throw new UncompilableException(
            "the regularization of %s by %s is not known, only L1, L2 and WeightDecay of one kind"
                .formatted(parameters, type));
      }
    }
    return new Penalty(l1, l2, decay, timesRate);
  }

  /**
   * Returns the sum of two schedules. It is needed if a list of penalties has several penalties of
   * one kind, because Deeplearning4j then applies each of them.
   */
  private static Schedule sum(Schedule one, Schedule other) {
    if (one.none()) {
      return other;
    }
    return other.none()
        ? one
        : (iteration, epoch) -> one.at(iteration, epoch) + other.at(iteration, epoch);
  }

  private static Schedule schedule(Settings penalty, String name) throws UncompilableException {
    return ScheduleReader.read(
        "the regularization", penalty.required("the penalty '" + name + "'", name));
  }
}
