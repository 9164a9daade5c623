package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.training.ModelArtifact;
import io.idlalayer.modelcontroller.training.TaskModel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * Scores micro-batches with its own copy of the model in service, on its own thread. Batches and
 * model swaps keep their order. At most {@link #QUEUED_BATCHES} batches wait; of swaps without a
 * batch between them only the last is kept. Offered to and polled by one thread.
 */
public final class Scorer implements AutoCloseable {
  /** Most batches under way, the one being scored included. */
  public static final int QUEUED_BATCHES = 4;

  private static final long CLOSE_MILLIS = 10_000;

  private final ModelFactory models;
  private final Thread thread;
  private final Deque<Command> commands = new ArrayDeque<>();
  private final Queue<ScoredBatch> scored = new ConcurrentLinkedQueue<>();
  private int batches;
  private boolean closed;

  /** Makes a model of its files. */
  @FunctionalInterface
  public interface ModelFactory {
    TaskModel load(ModelArtifact artifact) throws Exception;
  }

  private sealed interface Command {
    record Serve(ModelArtifact artifact) implements Command {}

    record Score(ScoringBatch batch) implements Command {}
  }

  /** Starts the scorer's thread; it has no model yet. */
  public Scorer(String threadName, ModelFactory models) {
    this.models = models;
    thread = new Thread(this::run, threadName);
    thread.setDaemon(true);
    thread.start();
  }

  /** Puts a model in service for the batches offered from now on. */
  public void serve(ModelArtifact artifact) {
    synchronized (commands) {
      if (commands.peekLast() instanceof Command.Serve) {
        commands.removeLast();
      }
      commands.addLast(new Command.Serve(artifact));
      commands.notifyAll();
    }
  }

  /**
   * Queues a batch.
   *
   * @return false if too many are under way, or after close; the batch is not scored then
   */
  public boolean offer(ScoringBatch batch) {
    synchronized (commands) {
      if (closed || batches >= QUEUED_BATCHES) {
        return false;
      }
      batches++;
      commands.addLast(new Command.Score(batch));
      commands.notifyAll();
      return true;
    }
  }

  /** The oldest batch that came back and was not polled yet. */
  public Optional<ScoredBatch> poll() {
    ScoredBatch batch = scored.poll();
    if (batch != null) {
      synchronized (commands) {
        batches--;
      }
    }
    return Optional.ofNullable(batch);
  }

  /** Batches offered and not polled yet. */
  public int inFlight() {
    synchronized (commands) {
      return batches;
    }
  }

  private void run() {
    @Nullable TaskModel model = null;
    String broken = "no model in service";
    try {
      while (true) {
        Command command = next();
        if (command == null) {
          return;
        }
        if (command instanceof Command.Score score) {
          scored.add(model == null ? failed(score.batch(), broken) : score(model, score.batch()));
        } else if (command instanceof Command.Serve serve) {
          TaskModel old = model;
          model = null;
          if (old != null) {
            old.close();
          }
          try {
            model = models.load(serve.artifact());
          } catch (Exception | OutOfMemoryError | LinkageError unreadable) {
            broken = "the model does not load: " + unreadable;
          }
        }
      }
    } finally {
      if (model != null) {
        model.close();
      }
    }
  }

  private @Nullable Command next() {
    synchronized (commands) {
      while (commands.isEmpty() && !closed) {
        try {
          commands.wait();
        } catch (InterruptedException stopped) {
          return null;
        }
      }
      return closed ? null : commands.removeFirst();
    }
  }

  private static ScoredBatch score(TaskModel model, ScoringBatch batch) {
    try {
      List<Sample> samples = batch.samples();
      float[][] predictions = model.predict(samples);
      float[] losses = model.losses(samples, predictions);
      float[] predicted = new float[predictions.length];
      for (int i = 0; i < predicted.length; i++) {
        predicted[i] = predictions[i].length == 1 ? predictions[i][0] : best(predictions[i]);
      }
      return new ScoredBatch(batch, losses, predicted, "");
    } catch (RuntimeException | OutOfMemoryError | LinkageError broken) {
      return failed(batch, "scoring failed: " + broken);
    }
  }

  private static int best(float[] probabilities) {
    int best = 0;
    for (int i = 1; i < probabilities.length; i++) {
      if (probabilities[i] > probabilities[best]) {
        best = i;
      }
    }
    return best;
  }

  private static ScoredBatch failed(ScoringBatch batch, String why) {
    return new ScoredBatch(batch, new float[0], new float[0], why);
  }

  /** Stops the thread and frees the model. Batches under way are dropped. */
  @Override
  public void close() {
    synchronized (commands) {
      closed = true;
      commands.notifyAll();
    }
    try {
      thread.join(CLOSE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
