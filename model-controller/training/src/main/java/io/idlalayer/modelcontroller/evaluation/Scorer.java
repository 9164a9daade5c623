package io.idlalayer.modelcontroller.evaluation;

import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Scores micro-batches with its own copy of the model in service, on its own thread. Batches and
 * model swaps keep their order. At most {@link #QUEUED_BATCHES} batches wait. If several model
 * swaps follow each other without a batch between them, only the last is kept. One thread offers
 * and polls.
 *
 * <p>Scoring a batch or loading a model fails if it takes longer than the time limit, or if its
 * thread dies; {@link #offer} and {@link #poll} notice this. The batch is then returned as failed,
 * the thread is interrupted and given up, and another thread continues with its own copy of the
 * model in service. The thread that was given up frees its copy when it returns. When {@link
 * #MOST_GIVEN_UP} such threads have not returned and another one hangs, scoring ends: no further
 * batch is accepted.
 */
public final class Scorer implements PrequentialScorer {
  /** Largest number of batches that wait or are being scored. */
  public static final int QUEUED_BATCHES = 4;

  /** Largest number of threads that were given up and have not returned yet. */
  public static final int MOST_GIVEN_UP = 3;

  private static final Logger LOG = LoggerFactory.getLogger(Scorer.class);
  private static final long CLOSE_MILLIS = 10_000;

  private final String threadName;
  private final ModelFactory models;
  private final double limitSeconds;
  private final LongSupplier nanoTime;

  /** Guards all fields below. */
  private final Object lock = new Object();

  private final Deque<Command> commands = new ArrayDeque<>();
  private final Queue<ScoredBatch> scored = new ArrayDeque<>();
  private Command.@Nullable Serve serving;
  private Worker worker;
  private int workers = 1;
  private int givenUp;
  private int batches;
  private boolean ended;
  private boolean closed;

  /** Loads a model from its files. */
  @FunctionalInterface
  public interface ModelFactory {
    TaskModel load(ModelArtifact artifact) throws Exception;
  }

  private sealed interface Command {
    record Serve(ModelArtifact artifact, @Nullable Rival rival) implements Command {}

    record Score(ScoringBatch batch) implements Command {}
  }

  /** Creates a scorer with the time limit that trainings have by default. */
  public Scorer(String threadName, ModelFactory models) {
    this(threadName, models, ModelSpec.Fit.DEFAULT_TIME_LIMIT_SECONDS, System::nanoTime);
  }

  /**
   * Starts the scorer's thread, which has no model yet.
   *
   * @param limitSeconds longest time for scoring a batch or loading a model, in seconds
   */
  public Scorer(
      String threadName, ModelFactory models, double limitSeconds, LongSupplier nanoTime) {
    this.threadName = threadName;
    this.models = models;
    this.limitSeconds = limitSeconds;
    this.nanoTime = nanoTime;
    worker = new Worker(threadName);
    worker.thread.start();
  }

  @Override
  public void serve(ModelArtifact artifact, @Nullable Rival rival) {
    synchronized (lock) {
      if (ended || closed) {
        return;
      }
      if (commands.peekLast() instanceof Command.Serve) {
        commands.removeLast();
      }
      commands.addLast(new Command.Serve(artifact, rival));
      lock.notifyAll();
    }
  }

  /**
   * Accepts a batch to be scored later.
   *
   * @return false if the batch is not scored: because too many batches are waiting, the scorer is
   *     closed, or scoring has ended after too many threads hung
   */
  @Override
  public boolean offer(ScoringBatch batch) {
    synchronized (lock) {
      if (!takesMore()) {
        return false;
      }
      batches++;
      commands.addLast(new Command.Score(batch));
      lock.notifyAll();
      return true;
    }
  }

  @Override
  public boolean takesMore() {
    synchronized (lock) {
      look();
      return !ended && !closed && batches < QUEUED_BATCHES;
    }
  }

  @Override
  public Optional<ScoredBatch> poll() {
    synchronized (lock) {
      look();
      ScoredBatch batch = scored.poll();
      if (batch != null) {
        batches--;
      }
      return Optional.ofNullable(batch);
    }
  }

  @Override
  public int inFlight() {
    synchronized (lock) {
      return batches;
    }
  }

  @Override
  public void await(Duration most) throws InterruptedException {
    long end = nanoTime.getAsLong() + most.toNanos();
    synchronized (lock) {
      long left = most.toNanos();
      while (scored.size() < batches && !ended && !closed && left > 0) {
        look();
        TimeUnit.NANOSECONDS.timedWait(lock, left);
        left = end - nanoTime.getAsLong();
      }
    }
  }

  /** Replaces the scoring thread if it hangs or has died. Called under the lock. */
  private void look() {
    if (ended || closed) {
      return;
    }
    boolean died = !worker.thread.isAlive();
    Command running = worker.running;
    boolean hangs =
        running != null
            && Nanos.toSeconds(nanoTime.getAsLong() - worker.startedNanos) > limitSeconds;
    if (!died && !hangs) {
      return;
    }
    Worker lost = worker;
    String what =
        running instanceof Command.Serve
            ? "loading the model"
            : "scoring with the model in service";
    String why =
        died
            ? "thread %s died".formatted(lost.thread.getName())
            : "%s did not end within %.1f s; thread %s was given up"
                .formatted(what, limitSeconds, lost.thread.getName());
    IllegalStateException where =
        new IllegalStateException("where thread " + lost.thread.getName() + " is");
    where.setStackTrace(lost.thread.getStackTrace());
    if (running instanceof Command.Score score) {
      scored.add(ScoredBatch.failed(score.batch(), why));
    }
    lost.given = true;
    if (!died) {
      lost.thread.interrupt();
      givenUp++;
    }
    if (givenUp > MOST_GIVEN_UP) {
      ended = true;
      LOG.error("{}; {} threads hang, nothing is scored any more", why, givenUp, where);
      for (Command left : commands) {
        if (left instanceof Command.Score score) {
          scored.add(ScoredBatch.failed(score.batch(), "scoring has ended: " + why));
        }
      }
      commands.clear();
      return;
    }
    LOG.error("{}; a new thread continues scoring", why, where);
    Command.Serve current = serving;
    if (current != null) {
      commands.addFirst(current);
    }
    workers++;
    worker = new Worker(threadName + "-" + workers);
    worker.thread.start();
  }

  /** The scoring thread, with its own copies of the models. */
  private final class Worker implements Runnable {
    final Thread thread;

    // Guarded by the lock.
    @Nullable Command running;
    long startedNanos;
    boolean given;

    // Only the scorer thread uses it.
    private final LoadedModels loaded = new LoadedModels(models);

    Worker(String name) {
      thread = new Thread(this, name);
      thread.setDaemon(true);
    }

    @Override
    public void run() {
      try {
        for (Command command = next(); command != null; command = next()) {
          if (command instanceof Command.Score score) {
            deliver(score(score.batch()));
          } else if (command instanceof Command.Serve serve) {
            loaded.serve(serve.artifact(), serve.rival());
          }
        }
      } finally {
        loaded.close();
        synchronized (lock) {
          if (given && givenUp > 0) {
            givenUp--;
          }
        }
      }
    }

    private @Nullable Command next() {
      synchronized (lock) {
        running = null;
        while (commands.isEmpty() && !closed && !given && !ended) {
          try {
            lock.wait();
          } catch (InterruptedException stopped) {
            return null;
          }
        }
        if (closed || given || ended) {
          return null;
        }
        Command command = commands.removeFirst();
        if (command instanceof Command.Serve serve) {
          serving = serve;
        }
        running = command;
        startedNanos = nanoTime.getAsLong();
        return command;
      }
    }

    private void deliver(ScoredBatch batch) {
      synchronized (lock) {
        if (!given) {
          running = null;
          scored.add(batch);
          lock.notifyAll();
        }
      }
    }

    private ScoredBatch score(ScoringBatch batch) {
      try {
        return loaded.score(batch);
      } catch (RuntimeException | Error failure) {
        if (failure instanceof Error) {
          again();
        }
        return ScoredBatch.failed(batch, "scoring failed: " + failure);
      }
    }

    /** Loads the current model again, because the state of a model is unknown after an error. */
    private void again() {
      Command.Serve current;
      synchronized (lock) {
        current = serving;
      }
      if (current != null) {
        loaded.close();
        loaded.serve(current.artifact(), current.rival());
      }
    }
  }

  /**
   * Stops the thread and frees the model. Batches that are not scored yet are dropped. The method
   * waits only for a bounded time; a thread that needs longer frees its model when it returns.
   */
  @Override
  public void close() {
    Thread last;
    synchronized (lock) {
      closed = true;
      last = worker.thread;
      lock.notifyAll();
    }
    try {
      last.join(CLOSE_MILLIS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    if (last.isAlive()) {
      last.interrupt();
    }
  }
}
