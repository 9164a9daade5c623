package io.idlalayer.modelcontroller.engine.compile;

import io.idlalayer.modelcontroller.engine.kernel.update.Schedule;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.TreeMap;

/**
 * Reads Deeplearning4j's schedules, with the formulas of ND4J 1.0.0-M2.1. Equal schedules compare
 * as equal, because updaters with equal settings share a block of state.
 */
final class ScheduleReader {
  private static final String INITIAL = "initialValue";
  private static final String EPOCH = "EPOCH";

  private ScheduleReader() {}

  /**
   * Returns a schedule after a check that it depends on iterations. A learner has no epochs, so a
   * schedule that depends on epochs would always have its first value.
   *
   * @param what name of the scheduled number, for messages
   * @param owner part that has the number
   * @param schedule name of the setting with a schedule, which comes first
   * @param constant name of the setting with a constant
   * @throws WrongConfigurationException if there is neither a schedule nor a finite constant
   */
  static Schedule read(String what, Settings owner, String schedule, String constant)
      throws UncompilableException {
    Settings configured = owner.part("the schedule of " + what, schedule);
    return configured == null ? new Constant(owner.constant(constant)) : read(what, configured);
  }

  /** Returns a schedule that is required. */
  static Schedule read(String what, Settings schedule) throws UncompilableException {
    String type = schedule.simpleName();
    Schedule read =
        switch (type) {
          case "FixedSchedule" -> new Constant(schedule.constant("value"));
          case "StepSchedule" ->
              new Steps(
                  schedule.constant(INITIAL),
                  schedule.constant("decayRate"),
                  schedule.constant("step"));
          case "ExponentialSchedule" ->
              new Exponential(schedule.constant(INITIAL), schedule.constant("gamma"));
          case "InverseSchedule" ->
              new Inverse(
                  schedule.constant(INITIAL),
                  schedule.constant("gamma"),
                  schedule.constant("power"));
          case "PolySchedule" ->
              new Polynomial(
                  schedule.constant(INITIAL),
                  schedule.constant("power"),
                  schedule.integer("maxIter"));
          case "SigmoidSchedule" ->
              new Sigmoid(
                  schedule.constant(INITIAL),
                  schedule.constant("gamma"),
                  schedule.integer("stepSize"));
          case "MapSchedule" -> new Points(points(schedule.required("the values", "values")));
          case "CycleSchedule" ->
              new Cycle(
                  schedule.constant("initialLearningRate"),
                  schedule.constant("maxLearningRate"),
                  schedule.positive("cycleLength"),
                  schedule.integer("annealingLength"),
                  schedule.constant("annealingDecay"));
          default ->
              throw new UncompilableException(
                  "the schedule %s of %s is not known".formatted(type, what));
        };
    if (!(read instanceof Constant) && schedule.text("scheduleType").equals(EPOCH)) {
      throw new UncompilableException(
          "%s has a schedule of ScheduleType.EPOCH, which would never move, since a learner counts no epochs; use ScheduleType.ITERATION, which counts mini-batches"
              .formatted(what));
    }
    return read;
  }

  private static NavigableMap<Integer, Double> points(Settings values)
      throws UncompilableException {
    NavigableMap<Integer, Double> points = new TreeMap<>();
    for (String name : values.names()) {
      int iteration;
      try {
        iteration = Integer.parseInt(name);
      } catch (NumberFormatException broken) {
        throw new UncompilableException(
            "%s has '%s' where an iteration was expected".formatted(values.owner(), name), broken);
      }
      points.put(iteration, values.constant(name));
    }
    if (!points.containsKey(0)) {
      throw new UncompilableException(values.owner() + " has no value for iteration 0");
    }
    return points;
  }

  private record Constant(double value) implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      return value;
    }

    @Override
    public boolean none() {
      return value == 0;
    }
  }

  private record Steps(double initial, double decay, double step) implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      return initial * Math.pow(decay, Math.floor(iteration / step));
    }
  }

  private record Exponential(double initial, double gamma) implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      return initial * Math.pow(gamma, iteration);
    }
  }

  private record Inverse(double initial, double gamma, double power) implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      return initial / Math.pow(1 + gamma * iteration, power);
    }
  }

  private record Polynomial(double initial, double power, int last) implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      return iteration >= last ? 0 : initial * Math.pow(1 + iteration / (double) last, power);
    }
  }

  private record Sigmoid(double initial, double gamma, int middle) implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      return initial / (1.0 + Math.exp(-gamma * (iteration - middle)));
    }
  }

  private record Points(NavigableMap<Integer, Double> values) implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      return Objects.requireNonNull(values.floorEntry(Math.max(0, iteration))).getValue();
    }
  }

  private record Cycle(double initial, double most, int length, int annealing, double decay)
      implements Schedule {
    @Override
    public double at(int iteration, int epoch) {
      int step = (length - annealing) / 2;
      double increment = (most - initial) / step;
      int position = iteration % length;
      if (position < step) {
        return initial + increment * position;
      } else if (position < 2 * step) {
        return most - increment * (position - step);
      }
      return initial * Math.pow(decay, annealing - (length - position));
    }
  }
}
