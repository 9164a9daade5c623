package io.idlalayer.jobs.learner;

import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A thread that runs the tasks of a learner in virtual time. A training computes when it starts,
 * because only then is known how long it takes. Its result is held back until the learner's time
 * has come to its end. Owner and thread never compute at the same time.
 *
 * <p>Confined to its owner's thread, except for the trainers that it makes.
 */
final class HeldTrainings implements AutoCloseable {
  private static final double ENDED = -1;

  private final BlockingQueue<Double> reports = new ArrayBlockingQueue<>(1);
  private final BlockingQueue<Boolean> releases = new ArrayBlockingQueue<>(1);
  private final ExecutorService thread =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread made = new Thread(task, "held trainings");
            made.setDaemon(true);
            return made;
          });
  private boolean holding;

  /** Returns a trainer whose results are held back on this thread. */
  Trainer trainer(Trainer trainer) {
    return new Trainer() {
      @Override
      public TrainingResult train(TrainingRequest request)
          throws TrainingFailedException, InterruptedException {
        TrainingResult result = trainer.train(request);
        reports.put(Math.max(0, result.trainSeconds()));
        boolean unused = releases.take();
        return result;
      }

      @Override
      public void close() {
        trainer.close();
      }
    };
  }

  /**
   * Runs the oldest task to its end, or to the end of its training's computation.
   *
   * @return seconds that the training says it took, which is held back from now on; below 0 if the
   *     task has ended
   */
  double start(ManualExecutor tasks) throws InterruptedException {
    thread.execute(
        () -> {
          boolean unused = tasks.runOne();
          reports.add(ENDED);
        });
    double seconds = reports.take();
    holding = seconds >= 0;
    return seconds;
  }

  /** Whether a training is held back. */
  boolean holding() {
    return holding;
  }

  /** Lets the training that is held back end; does nothing if none is. */
  void release() throws InterruptedException {
    if (holding) {
      holding = false;
      releases.put(true);
      double unused = reports.take();
    }
  }

  @Override
  public void close() {
    thread.shutdownNow();
  }
}
