package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.concurrent.TimeUnit;

/** What the trainings of a run cost, and what they trained. Confined to one thread. */
final class TrainingMeter {
  private final ReplayProfile.Sums replay;
  private long cpuNanos;
  private long wallNanos;
  private int updates;
  private int failures;
  private long rows;
  private long replayedRows;

  TrainingMeter(ReplayProfile.Sums replay) {
    this.replay = replay;
  }

  /** A trainer whose trainings are measured here. */
  Trainer measured(Trainer trainer) {
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        long startCpu = CpuTime.nanos();
        long startWall = System.nanoTime();
        TrainingResult result;
        try {
          result = trainer.train(request);
        } catch (TrainingFailedException failed) {
          failures++;
          throw failed;
        } finally {
          cpuNanos += CpuTime.nanos() - startCpu;
          wallNanos += System.nanoTime() - startWall;
        }
        trained(request.batch(), result);
        return result;
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  private void trained(TrainingBatch batch, TrainingResult result) {
    updates++;
    rows += batch.rows().size();
    replayedRows += batch.replayedCount();
    replay.trained(batch, result);
  }

  /** Trainings that have ended, well or not. */
  int trainings() {
    return updates + failures;
  }

  /** Trainings that failed. */
  int failures() {
    return failures;
  }

  /** Processor time of all trainings. */
  long cpuNanos() {
    return cpuNanos;
  }

  ReplayProfile replay() {
    return replay.profile();
  }

  RunCosts costs(long choiceCpuNanos) {
    double second = TimeUnit.SECONDS.toNanos(1);
    return new RunCosts(
        cpuNanos / second,
        wallNanos / second,
        choiceCpuNanos / second,
        updates,
        rows,
        replayedRows);
  }
}
