package io.idlalayer.benchmarks.source;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.benchmarks.measure.VirtualApplication;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.LearnerOutput;
import io.idlalayer.jobs.learner.VirtualTimeLearner;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.EngineName;
import java.util.List;

/**
 * The product's learner on the events of one arm. Time is virtual. A training takes its measured
 * processor time on a machine that may be slower than this one; nothing else takes time. Nobody
 * tells the learner that the events have ended. One thread, besides the one that trains.
 */
final class SourceRun implements LearnerOutput {
  /** Longest time from look to look at a workload. */
  private static final long LOOK_MILLIS = 10_000;

  private static final long STEP_MILLIS = 1_000;

  /** After so long, samples that still wait are taken for forgotten. */
  private static final long LONGEST_DRAIN_MILLIS = 3_600_000;

  private static final double NANOS_PER_SECOND = 1e9;

  private final Arm arm;
  private final double weight;
  private final Machine machine;
  private final Workload workload;
  private final long[] arrivals;
  private final Incorporation incorporation;
  private long startMillis;
  private long passedMillis;
  private double trainingSeconds;
  private int failures;

  /**
   * The machine of a run.
   *
   * @param slowdown seconds that it needs for what takes one second of processor time here
   */
  record Machine(double slowdown) {}

  /**
   * @param weight how many sample-seconds of waiting a second of training is worth
   * @param arrivals milliseconds from the start, one for each sample of the workload, ascending
   */
  SourceRun(Arm arm, double weight, Machine machine, Workload workload, long[] arrivals) {
    this.arm = arm;
    this.weight = weight;
    this.machine = machine;
    this.workload = workload;
    this.arrivals = arrivals.clone();
    incorporation = new Incorporation(arrivals);
  }

  /**
   * Runs all events, then waits until the last one is in a published version.
   *
   * @param seed seed of the first weights, the order of rows and the choice of samples
   * @throws IllegalStateException if a training failed, or if samples wait for an hour
   */
  Outcome run(long seed) throws InterruptedException {
    List<Sample> samples = workload.samples();
    long start = CpuTime.nanos();
    try (VirtualTimeLearner learner =
        VirtualTimeLearner.of(settings(seed), () -> measured(workload.trainer()), workload.models())
            .output(this)
            .trainingsTakeTheirSeconds()
            .open()) {
      startMillis = learner.nowMillis();
      for (int i = 0; i < samples.size(); i++) {
        passTo(learner, arrivals[i]);
        workload.arrived(samples.get(i));
        learner.arrive(samples.get(i), new ContentHash(i, ~i));
      }
      drain(learner);
    }
    if (failures > 0) {
      throw new IllegalStateException("%s: %d trainings failed".formatted(arm.label(), failures));
    }
    double others = (CpuTime.nanos() - start - workload.judgingNanos()) / NANOS_PER_SECOND;
    return new Outcome(
        incorporation.elapsedSeconds(),
        incorporation.lastWaitSeconds(),
        incorporation.meanWaitSeconds(),
        incorporation.updates(),
        trainingSeconds,
        others,
        incorporation.waitSeconds() + weight * trainingSeconds,
        workload.quality());
  }

  private ApplicationSettings settings(long seed) {
    return VirtualApplication.of(
        workload.spec(),
        EngineName.ONEDNN,
        seed,
        arm.update(weight),
        arm.data(workload.replayBudget()),
        GateSettings.off(Metric.ACCURACY));
  }

  private void passTo(VirtualTimeLearner learner, long millis) throws InterruptedException {
    while (passedMillis < millis) {
      long look = passedMillis - passedMillis % LOOK_MILLIS + LOOK_MILLIS;
      long to = Math.min(millis, look);
      learner.pass(to - passedMillis);
      passedMillis = to;
      workload.passed(to);
    }
  }

  private void drain(VirtualTimeLearner learner) throws InterruptedException {
    for (long waited = 0; !incorporation.complete(); waited += STEP_MILLIS) {
      if (waited > LONGEST_DRAIN_MILLIS) {
        throw new IllegalStateException(
            "%s: %d of %d samples are in no version an hour after the last arrival"
                .formatted(
                    arm.label(),
                    arrivals.length - incorporation.publishedSamples(),
                    arrivals.length));
      }
      learner.pass(STEP_MILLIS);
    }
  }

  private Trainer measured(Trainer trainer) {
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        long start = CpuTime.nanos();
        try {
          TrainingResult result = trainer.train(request);
          double seconds = machine.slowdown() * (CpuTime.nanos() - start) / NANOS_PER_SECOND;
          trainingSeconds += seconds;
          return result.withTrainSeconds(seconds);
        } catch (TrainingFailedException failed) {
          failures++;
          throw failed;
        }
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  @Override
  public void decision(DecisionEvent event) {
    UpdateRecord update = event.update();
    if (event.type() == DecisionEvent.Type.PUBLISHED && update != null) {
      incorporation.published(
          update.firing().newSamples(), update.requirePublished().atMillis() - startMillis);
    }
  }

  @Override
  public void refused(DeadLetter letter) {
    throw new IllegalStateException("the learner refused an event: " + letter);
  }

  @Override
  public void notice(ModelNotice notice) {}
}
