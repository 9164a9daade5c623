package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.cost.MeasuredUpdate;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Train;
import java.util.ArrayDeque;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.DoubleRange;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Every rule behind its controller on one machine, in virtual time, with failures. */
final class OneMachinePropertyTest {
  private static final double EPS = 0.5;
  private static final double LAMBDA = 0.01;
  private static final double W = 10;

  @Property(tries = 300)
  void run_withFailures_trainsEachSampleOnceAndCostsAtLeastTheOptimum(
      @ForAll RuleName rule,
      @ForAll @Size(min = 1, max = 60) java.util.List<@DoubleRange(min = 0, max = 4) Double> gaps,
      @ForAll @IntRange(min = 1, max = 20) int maxBatch,
      @ForAll @DoubleRange(min = 0, max = 0.4) double failing,
      @ForAll long seed) {
    double[] arrivals = new double[gaps.size()];
    double now = 0;
    for (int i = 0; i < arrivals.length; i++) {
      now += gaps.get(i) < 0.5 ? 0 : gaps.get(i);
      arrivals[i] = now;
    }
    UpdateSettings settings =
        UpdateSettings.of(rule, W)
            .with(UpdateSettings.Tuning.defaults().withPeriodSeconds(3).withCount(5))
            .with(new UpdateSettings.Limits(maxBatch, 0, 0));
    OneMachine machine = new OneMachine(settings, arrivals, new SplittableRandom(seed), failing);
    machine.run();
    assertThat(machine.trained).isEqualTo(arrivals.length);
    double optimum = Overlap.optimum(arrivals, new Overlap.Costs(LAMBDA, EPS, W));
    assertThat(machine.cost).isGreaterThanOrEqualTo(optimum - 1e-6 * (1 + optimum));
  }

  /** One trainer, its controller, and the samples that wait. */
  private static final class OneMachine {
    private final UpdateController controller;
    private final int maxBatch;
    private final double[] arrivals;
    private final SplittableRandom random;
    private final double failing;
    private final ArrayDeque<Double> waiting = new ArrayDeque<>();

    private long nowNanos;
    private int arrived;
    private int trained;
    private double cost;

    OneMachine(
        UpdateSettings settings, double[] arrivals, SplittableRandom random, double failing) {
      controller = new UpdateController(settings, new TrainingCostModel());
      maxBatch = settings.limits().maxBatch();
      this.arrivals = arrivals;
      this.random = random;
      this.failing = failing;
    }

    void run() {
      int steps = 0;
      while (trained < arrivals.length) {
        assertThat(steps++).as("steps, so that no rule stalls").isLessThan(10_000);
        UpdateDecision decision = next();
        while (decision instanceof Train train) {
          decision = train(train.samples());
        }
      }
    }

    /** Moves on to the next arrival or firing, whichever is first; flushes at the end. */
    private UpdateDecision next() {
      long firing = controller.nextFiringNanos();
      if (arrived < arrivals.length && Overlap.nanos(arrivals[arrived]) <= firing) {
        nowNanos = Math.max(nowNanos, Overlap.nanos(arrivals[arrived]));
        return arrive();
      }
      if (firing == UpdateDecision.Explanation.NEVER) {
        UpdateDecision decision = controller.flush(nowNanos);
        // A pause after a failure holds a flush up as well.
        nowNanos += decision instanceof Train ? 0 : 1_000_000_000L;
        return decision;
      }
      assertThat(firing).as("a firing that passed was missed").isGreaterThanOrEqualTo(nowNanos);
      assertThat(controller.evaluate(firing - 1)).isInstanceOf(UpdateDecision.Wait.class);
      nowNanos = firing;
      UpdateDecision decision = controller.evaluate(nowNanos);
      assertThat(decision).isInstanceOf(Train.class);
      return decision;
    }

    private UpdateDecision arrive() {
      waiting.add(arrivals[arrived++]);
      return controller.arrived(nowNanos, 1);
    }

    private UpdateDecision train(int samples) {
      assertThat(samples).isBetween(1, Math.min(maxBatch, waiting.size()));
      double seconds = EPS + LAMBDA * samples;
      controller.trainingStarted(samples, 0, nowNanos);
      long start = nowNanos;
      long end = nowNanos + Overlap.nanos(seconds);
      while (arrived < arrivals.length && Overlap.nanos(arrivals[arrived]) <= end) {
        nowNanos = Math.max(nowNanos, Overlap.nanos(arrivals[arrived]));
        if (arrive() instanceof UpdateDecision.Restart) {
          cost += W * (nowNanos - start) / 1e9;
          return controller.trainingAborted(nowNanos);
        }
      }
      nowNanos = end;
      cost += W * seconds;
      if (random.nextDouble() < failing) {
        UpdateDecision decision = controller.trainingDropped(nowNanos, samples, false);
        assertThat(controller.pending()).isEqualTo(waiting.size());
        return decision;
      }
      for (int i = 0; i < samples; i++) {
        cost += nowNanos / 1e9 - waiting.remove();
      }
      trained += samples;
      UpdateDecision decision =
          controller.trainingEnded(nowNanos, samples, 0, MeasuredUpdate.trained(seconds));
      assertThat(controller.pending()).isEqualTo(waiting.size());
      return decision;
    }
  }
}
