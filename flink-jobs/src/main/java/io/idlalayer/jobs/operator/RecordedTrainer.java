package io.idlalayer.jobs.operator;

import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;

/**
 * Puts down that a training begins before it does, and that it has ended, so that a process that
 * dies in between is found out at the next start. Called by the trainer thread.
 */
final class RecordedTrainer implements Trainer {
  private final Trainer trainer;
  private final AttemptBook book;

  RecordedTrainer(Trainer trainer, AttemptBook book) {
    this.trainer = trainer;
    this.book = book;
  }

  @Override
  public TrainingResult train(TrainingRequest request)
      throws TrainingFailedException, InterruptedException {
    long number = book.begins(request);
    try {
      return trainer.train(request);
    } finally {
      book.ended(number);
    }
  }

  @Override
  public void close() {
    trainer.close();
  }
}
