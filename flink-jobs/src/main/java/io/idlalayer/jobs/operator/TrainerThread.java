package io.idlalayer.jobs.operator;

import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * The one thread of an operator subtask that trains and publishes for all its learners, first come,
 * first served. A learner has at most one training, one publication and one clean-up under way, so
 * the queue is bounded by three times the number of learners.
 */
final class TrainerThread implements AutoCloseable {
  private static final long CLOSE_SECONDS = 20;

  private final ExecutorService executor;
  private final Map<String, Trainer> trainers = new HashMap<>();

  TrainerThread(String name) {
    this(
        Executors.newSingleThreadExecutor(
            task -> {
              Thread thread = new Thread(task, name);
              thread.setDaemon(true);
              return thread;
            }));
  }

  /** For tests that decide themselves when a task runs. */
  TrainerThread(ExecutorService executor) {
    this.executor = executor;
  }

  /**
   * Queues a training.
   *
   * @param newTrainer makes the learner's trainer, called on the trainer thread at its first use
   */
  Future<TrainingResult> train(
      String learner, Supplier<Trainer> newTrainer, TrainingRequest request) {
    return executor.submit(
        () -> trainers.computeIfAbsent(learner, key -> newTrainer.get()).train(request));
  }

  /** Queues other slow work, behind what is queued already. */
  <T> Future<T> run(Callable<T> work) {
    return executor.submit(work);
  }

  /** Interrupts the running training, frees the trainers on their own thread and waits for it. */
  @Override
  public void close() throws InterruptedException {
    executor.shutdownNow();
    if (!executor.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(
          "the trainer thread did not stop within " + CLOSE_SECONDS + " s");
    }
    // The thread is gone, so its trainers have no other user any more.
    trainers.values().forEach(Trainer::close);
    trainers.clear();
  }
}
