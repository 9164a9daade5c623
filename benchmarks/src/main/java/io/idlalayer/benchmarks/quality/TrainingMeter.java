package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.concurrent.TimeUnit;

/** Measures the costs of the trainings of a run, and what they trained. Confined to one thread. */
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

  /** Returns a trainer whose trainings are measured by this meter. */
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

  /** Returns the number of trainings that have succeeded or failed. */
  int trainings() {
    return updates + failures;
  }

  /** Returns the number of trainings that failed. */
  int failures() {
    return failures;
  }

  /** Returns the processor time of all trainings, in nanoseconds. */
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
