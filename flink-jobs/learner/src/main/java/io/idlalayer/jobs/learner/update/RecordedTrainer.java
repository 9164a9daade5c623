package io.idlalayer.jobs.learner.update;

import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;

/**
 * A trainer that records each training before it begins and after it has ended, so that the next
 * process can find out whether this one died during a training. Called by the trainer thread.
 */
final class RecordedTrainer implements Trainer {
  private final Trainer trainer;
  private final TrainingAttempts attempts;

  RecordedTrainer(Trainer trainer, TrainingAttempts attempts) {
    this.trainer = trainer;
    this.attempts = attempts;
  }

  @Override
  public TrainingResult train(TrainingRequest request)
      throws TrainingFailedException, InterruptedException {
    long number = attempts.begins(request.batch());
    try {
      return trainer.train(request);
    } finally {
      attempts.ended(number);
    }
  }

  @Override
  public void close() {
    trainer.close();
  }
}
