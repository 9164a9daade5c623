package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.evaluation.PrequentialScorer;
import io.idlalayer.modelcontroller.evaluation.Scorer;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;

/**
 * A learner whose time passes when a test says so, with its timer and its tasks. Samples are scored
 * at once, and trainings count as having taken what is said of them, so that the same story is
 * always told in the same way.
 */
abstract class VirtualTimeWorld extends LearnerWorld {
  private static final double SECONDS_PER_UPDATE = 0.001;
  private static final double SECONDS_PER_ROW = 0.00002;

  /** How long a training, a publication or a clean-up takes; 0: it is over in the same call. */
  long taskMillis;

  private long timerMillis = Long.MAX_VALUE;
  private long taskDueMillis = Long.MAX_VALUE;

  VirtualTimeWorld(ApplicationSettings settings) {
    super(settings);
  }

  abstract Trainer trainer();

  abstract Scorer.ModelFactory scoredModels();

  @Override
  final Trainer newTrainer() {
    return new ToldSeconds(trainer());
  }

  @Override
  final PrequentialScorer newScorer() {
    return new InlineScorer(scoredModels());
  }

  /** Opens the learner, as the engine does. */
  void start() throws InterruptedException {
    open();
    timerMillis = Long.MAX_VALUE;
    taskDueMillis = Long.MAX_VALUE;
    learner().tick();
    carryOn();
  }

  /** The process dies right after a checkpoint, and starts again. */
  void restart() throws InterruptedException {
    learner().beforeCheckpoint();
    learner().close();
    start();
  }

  @Override
  void send(LearnerEvent event) throws InterruptedException {
    super.send(event);
    carryOn();
  }

  void arrive(Sample sample, ContentHash hash) throws InterruptedException {
    send(arrival(next(), nowMillis, sample, hash));
  }

  void pass(long millis) throws InterruptedException {
    long until = nowMillis + millis;
    while (Math.min(timerMillis, taskDueMillis) <= until) {
      nowMillis = Math.max(nowMillis, Math.min(timerMillis, taskDueMillis));
      if (taskDueMillis <= nowMillis) {
        taskDueMillis = Long.MAX_VALUE;
        executor.runOne();
      } else {
        timerMillis = Long.MAX_VALUE;
        learner().tick();
      }
      carryOn();
    }
    nowMillis = until;
  }

  /** Does what takes no time, and sets the times of what takes some. */
  private void carryOn() throws InterruptedException {
    while (taskMillis == 0 && executor.runOne()) {
      learner().tick();
    }
    // One timer, only ever moved earlier, as the operator does it.
    timerMillis = Math.min(timerMillis, nowMillis + learner().sleepMillis());
    if (taskDueMillis == Long.MAX_VALUE && executor.busy()) {
      taskDueMillis = nowMillis + taskMillis;
    }
  }

  private record ToldSeconds(Trainer trainer) implements Trainer {
    @Override
    public TrainingResult train(TrainingRequest request)
        throws TrainingFailedException, InterruptedException {
      return trainer
          .train(request)
          .withTrainSeconds(SECONDS_PER_UPDATE + SECONDS_PER_ROW * request.batch().rows().size());
    }

    @Override
    public void close() {
      trainer.close();
    }
  }
}
