package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.processor.ProcessorPart;
import io.idlalayer.jobs.processor.ProcessorTime;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;

/**
 * A trainer that records each training before it begins and after it has ended, so that the next
 * process can find out whether this process died during a training. It also counts the processor
 * time of trainings. Called by the trainer thread.
 */
final class RecordedTrainer implements Trainer {
  private final Trainer trainer;
  private final TrainingAttempts attempts;
  private final ProcessorTime processor;

  RecordedTrainer(Trainer trainer, TrainingAttempts attempts, ProcessorTime processor) {
    this.trainer = trainer;
    this.attempts = attempts;
    this.processor = processor;
  }

  @Override
  public TrainingResult train(TrainingRequest request)
      throws TrainingFailedException, InterruptedException {
    try (ProcessorTime.Counted counted = processor.begin(ProcessorPart.TRAINING)) {
      long number = attempts.begins(request.batch());
      try {
        return trainer.train(request);
      } finally {
        attempts.ended(number);
      }
    }
  }

  @Override
  public void close() {
    trainer.close();
  }
}
