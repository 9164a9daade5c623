package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.LearnerHistory.Fault;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;

/**
 * Histories of learners with a release gate; a seed decides everything. The releases are
 * interleaved with the other two tables, {@code UpdateCycle} and {@code Publication}, since all
 * three move in one {@link LearnerHistory}: between any two of its steps the trainer thread may
 * train or publish, a look at the pin may end, and a pin may be set, each as a task of its own that
 * runs when the seed says so. Updates fire by their rule while a model is held or a rollback is
 * under way; trainings fail, and labels of what trains are taken back, so that updates are aborted
 * and dropped; publications fail, are tried again, or succeed without an answer. A process that
 * dies cuts all three off at once, and goes on from one of the last checkpoints, each taken at any
 * moment.
 */
public final class ReleaseHistories {
  private static final int STEPS = 250;
  private static final int RIGHT_SAMPLES = 30;

  private static final List<Fault> FAULTS =
      List.of(
          Fault.CRASH,
          Fault.OLDER_STATE,
          Fault.PUBLISHING,
          Fault.LOST_ANSWER,
          Fault.OUT_OF_REACH,
          Fault.TRUSTED,
          Fault.SCORING,
          Fault.TRAINING,
          Fault.RETRACTION,
          Fault.PEOPLE,
          Fault.PEOPLE);

  private ReleaseHistories() {}

  /**
   * Plays a history; returns what was said.
   *
   * @throws AssertionError if it breaks a promise
   */
  public static List<DecisionEvent> play(long seed) throws InterruptedException {
    Random random = new Random(seed);
    EnumSet<Fault> faults = EnumSet.noneOf(Fault.class);
    for (Fault fault : FAULTS) {
      if (random.nextBoolean()) {
        faults.add(fault);
      }
    }
    RuleName rule = random.nextBoolean() ? RuleName.COUNT : RuleName.PERIODIC;
    GateSettings gate = gate(random);
    List<Sample> right = random.nextInt(3) == 0 ? rightSamples() : List.of();
    try (LearnerHistory world = new LearnerHistory(seed, rule, faults, gate, right)) {
      world.live(STEPS);
      world.finish();
      world.live(STEPS / 3);
      world.finish();
      return world.events;
    } catch (AssertionError violated) {
      throw new AssertionError(
          "seed %d, rule %s, faults %s, %s, %d trusted samples: %s"
              .formatted(seed, rule, faults, gate, right.size(), violated.getMessage()),
          violated);
    }
  }

  private static GateSettings gate(Random random) {
    Action action = any(random, Action.values());
    AfterPublishing after =
        action == Action.OFF || random.nextInt(3) > 0
            ? AfterPublishing.ROLL_BACK
            : any(random, AfterPublishing.values());
    ContinueFrom from = random.nextBoolean() ? ContinueFrom.NEWEST : ContinueFrom.IN_SERVICE;
    return new GateSettings(
        action,
        after,
        Metric.ACCURACY,
        0.01,
        5 + random.nextInt(30),
        random.nextInt(8),
        from,
        null);
  }

  private static <T> T any(Random random, T[] values) {
    return values[random.nextInt(values.length)];
  }

  private static List<Sample> rightSamples() {
    List<Sample> right = new ArrayList<>();
    for (int i = 1; i <= RIGHT_SAMPLES; i++) {
      right.add(new Sample("right" + i, new double[] {-i}, new int[0], i % 2));
    }
    return right;
  }
}
