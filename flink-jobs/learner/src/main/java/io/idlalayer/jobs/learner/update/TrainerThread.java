package io.idlalayer.jobs.learner.update;

import io.idlalayer.jobs.learner.publish.WorkQueue;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingFailedException.Kind;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.IntFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The single thread of an operator subtask that trains and publishes for all learners of the
 * subtask, in the order of the requests. A learner has at most one training, one publication and
 * one clean-up under way, so the queue is bounded by three times the number of learners.
 *
 * <p>Work that runs longer than its time limit fails. Each call that asks a future whether it is
 * done also checks the limit of the running work. If the limit is exceeded, the future of the work
 * ends with an exception that names the work. The thread of the work is interrupted and given up,
 * and another thread continues with the queue in the same order. A thread that was given up frees
 * its trainer when it returns. If more than {@link #MOST_GIVEN_UP} such threads have not returned,
 * the job fails. A publication that was given up can still succeed; its learner publishes again,
 * under a free number.
 *
 * <p>The operator's thread polls the futures. Thread-safe.
 */
public final class TrainerThread implements WorkQueue, AutoCloseable {
  /** Largest number of threads that were given up and have not returned. */
  static final int MOST_GIVEN_UP = 3;

  private static final Logger LOG = LoggerFactory.getLogger(TrainerThread.class);
  private static final long CLOSE_MILLIS = 20_000;
  private static final long LOOK_MILLIS = 100;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final ThreadLocal<Lane> LANE_OF_THREAD = new ThreadLocal<>();

  private final IntFunction<ExecutorService> threads;
  private final ToDoubleFunction<String> limitSeconds;
  private final double longestLimitSeconds;
  private final LongSupplier nanoTime;
  private final long closeMillis;

  // Guarded by this object.
  private Lane lane;
  private int lanes;
  private int givenUp;
  private int tasks;

  /**
   * @param limitSeconds time limit of a training, by learner
   * @param longestLimitSeconds time limit of a publication
   */
  public TrainerThread(
      String name, ToDoubleFunction<String> limitSeconds, double longestLimitSeconds) {
    this(
        number -> daemon(name, number),
        limitSeconds,
        longestLimitSeconds,
        System::nanoTime,
        CLOSE_MILLIS);
  }

  /**
   * Creates a trainer thread without time limits, on an executor whose owner decides when a task
   * runs.
   */
  public TrainerThread(ExecutorService executor) {
    this(
        number -> executor,
        learner -> Double.MAX_VALUE,
        Double.MAX_VALUE,
        System::nanoTime,
        CLOSE_MILLIS);
  }

  /**
   * @param threads creates the executor of one thread, by its number from 1
   * @param closeMillis longest time that {@link #close} waits for the running work
   */
  public TrainerThread(
      IntFunction<ExecutorService> threads,
      ToDoubleFunction<String> limitSeconds,
      double longestLimitSeconds,
      LongSupplier nanoTime,
      long closeMillis) {
    this.closeMillis = closeMillis;
    this.threads = threads;
    this.limitSeconds = limitSeconds;
    this.longestLimitSeconds = longestLimitSeconds;
    this.nanoTime = nanoTime;
    lanes = 1;
    lane = new Lane(threads.apply(1));
  }

  private static ExecutorService daemon(String name, int number) {
    return Executors.newSingleThreadExecutor(
        task -> {
          Thread thread = new Thread(task, number == 1 ? name : name + "-" + number);
          thread.setDaemon(true);
          return thread;
        });
  }

  /**
   * The load of the trainer thread.
   *
   * @param tasks number of tasks that wait or run
   * @param runningSeconds how long the running task has run; 0 if no task runs
   * @param limitSeconds time limit of the running task; 0 if no task runs
   * @param hungThreads number of threads that were given up and have not returned
   */
  public record Load(int tasks, double runningSeconds, double limitSeconds, int hungThreads) {}

  /**
   * A thread that runs the work, with the trainers that only this thread uses. Guarded by the
   * trainer thread.
   */
  private static final class Lane {
    final ExecutorService executor;
    final Map<String, Trainer> trainers = new HashMap<>();
    @Nullable Task<?> running;
    @Nullable Thread thread;
    long startedNanos;
    boolean given;

    Lane(ExecutorService executor) {
      this.executor = executor;
    }
  }

  /** Creates the exception for work that exceeded its time limit. */
  @FunctionalInterface
  private interface Hung {
    Exception exception(String how, Throwable where);
  }

  /**
   * A task of a lane, as a future that gives up the lane's running work at its time limit whenever
   * it is polled.
   */
  private final class Task<T> extends FutureTask<T> {
    final @Nullable String learner;
    final String what;
    final double mostSeconds;
    final Hung hung;

    /**
     * @param learner learner whose trainer the work uses; null if it uses none
     */
    Task(@Nullable String learner, String what, double mostSeconds, Hung hung, Callable<T> work) {
      super(work);
      this.learner = learner;
      this.what = what;
      this.mostSeconds = mostSeconds;
      this.hung = hung;
    }

    @Override
    public void run() {
      Lane here = begin(this);
      try {
        super.run();
      } finally {
        end(here);
      }
    }

    void fail(Exception why) {
      setException(why);
    }

    @Override
    public boolean isDone() {
      look();
      return super.isDone();
    }

    @Override
    public T get() throws InterruptedException, ExecutionException {
      while (true) {
        try {
          return get(1, TimeUnit.DAYS);
        } catch (TimeoutException still) {
          LOG.debug("{} runs on", what);
        }
      }
    }

    @Override
    public T get(long timeout, TimeUnit unit)
        throws InterruptedException, ExecutionException, TimeoutException {
      long from = System.nanoTime();
      long most = unit.toNanos(timeout);
      while (true) {
        look();
        long left = most - (System.nanoTime() - from);
        try {
          return super.get(
              Math.max(0, Math.min(left, TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS))),
              TimeUnit.NANOSECONDS);
        } catch (TimeoutException still) {
          if (left <= 0) {
            throw still;
          }
        }
      }
    }
  }

  /**
   * Queues the training of a model for a learner.
   *
   * @param newTrainer creates the learner's trainer; called by the trainer thread at its first use
   * @return the result; fails with a {@link TrainingFailedException} also if the training throws an
   *     {@code Error} or hangs
   */
  Future<TrainingResult> train(
      String learner, Supplier<Trainer> newTrainer, TrainingRequest request) {
    String what = "training update %d of %s".formatted(request.batch().updateNumber(), learner);
    Hung hung =
        (how, where) ->
            new TrainingFailedException(
                Kind.HUNG, what + " " + how + " (training.time-limit)", where);
    return submit(
        new Task<>(
            learner,
            what,
            limitSeconds.applyAsDouble(learner),
            hung,
            () -> {
              try {
                return trainer(learner, newTrainer).train(request);
              } catch (Error failed) {
                throw new TrainingFailedException(
                    Kind.BACKEND, what + " failed: " + failed, failed);
              }
            }));
  }

  /** Queues work that precedes the first training, such as loading libraries. */
  public <T> Future<T> prepare(Callable<T> work) {
    return submit(other("a preparation", work));
  }

  @Override
  public <T> Future<T> run(Callable<T> work) {
    return submit(other("a publication", work));
  }

  private <T> Task<T> other(String what, Callable<T> work) {
    Hung hung =
        (how, where) -> {
          TimeoutException late = new TimeoutException(what + " " + how);
          late.initCause(where);
          return late;
        };
    return new Task<>(null, what, longestLimitSeconds, hung, work);
  }

  private <T> Task<T> submit(Task<T> task) {
    look();
    synchronized (this) {
      lane.executor.execute(task);
      tasks++;
    }
    return task;
  }

  /** Returns the current load of the trainer thread. */
  public synchronized Load load() {
    Task<?> task = lane.running;
    int waiting = tasks - givenUp;
    return task == null
        ? new Load(waiting, 0, 0, givenUp)
        : new Load(
            waiting,
            (nanoTime.getAsLong() - lane.startedNanos) / NANOS_PER_SECOND,
            task.mostSeconds,
            givenUp);
  }

  /** Returns the learner's trainer on the lane of the calling thread. */
  private Trainer trainer(String learner, Supplier<Trainer> newTrainer) {
    Lane here = laneOfThisThread();
    synchronized (this) {
      Trainer known = here.trainers.get(learner);
      if (known != null) {
        return known;
      }
    }
    // The trainer is created outside of the lock, because its creation can take long or hang.
    Trainer made = newTrainer.get();
    synchronized (this) {
      here.trainers.put(learner, made);
      return made;
    }
  }

  private Lane laneOfThisThread() {
    return Objects.requireNonNull(LANE_OF_THREAD.get(), "not on a trainer thread");
  }

  /** Returns the lane on which a task begins to run: the only one whose executor has tasks. */
  private synchronized Lane begin(Task<?> task) {
    Lane here = lane;
    here.running = task;
    here.thread = Thread.currentThread();
    here.startedNanos = nanoTime.getAsLong();
    LANE_OF_THREAD.set(here);
    return here;
  }

  private void end(Lane here) {
    List<Trainer> left = new ArrayList<>();
    synchronized (this) {
      here.running = null;
      here.thread = null;
      tasks--;
      if (here.given) {
        givenUp--;
        left.addAll(here.trainers.values());
        here.trainers.clear();
      }
    }
    LANE_OF_THREAD.remove();
    free(left);
  }

  private static void free(List<Trainer> trainers) {
    for (Trainer trainer : trainers) {
      try {
        trainer.close();
      } catch (RuntimeException | Error failed) {
        LOG.warn("A trainer could not free its memory", failed);
      }
    }
  }

  /**
   * Gives up the running work if it has exceeded its limit.
   *
   * @throws LastingFailureException if too many threads were given up already
   */
  private void look() {
    Task<?> over;
    Exception why;
    synchronized (this) {
      over = lane.running;
      Thread thread = lane.thread;
      if (over == null || thread == null || lane.given) {
        return;
      }
      double seconds = (nanoTime.getAsLong() - lane.startedNanos) / NANOS_PER_SECOND;
      if (seconds <= over.mostSeconds) {
        return;
      }
      Throwable where = new IllegalStateException("where thread " + thread.getName() + " is");
      where.setStackTrace(thread.getStackTrace());
      why =
          over.hung.exception(
              "did not end within %.1f s; thread %s was given up"
                  .formatted(over.mostSeconds, thread.getName()),
              where);
      if (givenUp == MOST_GIVEN_UP) {
        throw new LastingFailureException(
            "%d threads that train or publish hang and were given up, and now one more hangs: %s; restart the process"
                .formatted(givenUp, why.getMessage()),
            why);
      }
      replace();
    }
    LOG.error("{}", why.getMessage(), why);
    over.fail(why);
  }

  /** Replaces a lane that hangs; the new lane first frees the idle trainers. */
  private void replace() {
    Lane hanging = lane;
    List<Trainer> idle = give(hanging);
    lanes++;
    lane = new Lane(threads.apply(lanes));
    tasks++;
    lane.executor.execute(
        other(
            "freeing the memory of trainers",
            () -> {
              free(idle);
              return idle.size();
            }));
    hanging.executor.shutdownNow().forEach(lane.executor::execute);
  }

  /**
   * Takes all trainers from a lane, except the trainer of the running work. The thread of this work
   * frees its trainer when it returns. Returns the taken trainers.
   */
  private List<Trainer> give(Lane parted) {
    Task<?> running = parted.running;
    if (running != null) {
      parted.given = true;
      givenUp++;
    }
    List<Trainer> idle = new ArrayList<>();
    parted
        .trainers
        .entrySet()
        .removeIf(
            each -> {
              boolean used = running != null && each.getKey().equals(running.learner);
              if (!used) {
                idle.add(each.getValue());
              }
              return !used;
            });
    return idle;
  }

  /**
   * Interrupts the running work, drops the queue and frees the trainers. Waits for the running work
   * for a bounded time; if it needs longer, its thread frees its trainer when it returns.
   */
  @Override
  public void close() throws InterruptedException {
    Lane last;
    synchronized (this) {
      last = lane;
    }
    last.executor.shutdownNow();
    boolean ended = false;
    try {
      ended = last.executor.awaitTermination(closeMillis, TimeUnit.MILLISECONDS);
    } finally {
      List<Trainer> idle;
      synchronized (this) {
        idle = give(last);
      }
      free(idle);
      if (!ended) {
        LOG.warn(
            "The trainer thread does not stop within {} ms; it frees its memory when it returns",
            closeMillis);
      }
    }
  }
}
