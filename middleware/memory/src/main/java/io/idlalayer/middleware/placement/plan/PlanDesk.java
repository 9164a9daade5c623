package io.idlalayer.middleware.placement.plan;

import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plans the steps of a process on one thread of the least priority, so that no training waits for a
 * planner. Decisions are in memory, and in a folder if there is one. Any thread.
 */
public final class PlanDesk implements AutoCloseable {
  /** Most decisions in memory. */
  static final int MOST_DECISIONS = 64;

  /** Most steps that wait for being planned; a further one is asked for again with its next run. */
  private static final int MOST_WAITING = 16;

  /** Seconds without a request after which the thread ends. */
  private static final long IDLE_SECONDS = 30;

  /** Longest time in seconds that {@link #close} waits for the thread. */
  private static final long CLOSE_SECONDS = 10;

  /** The desk rests this many times as long as the last request to plan anew took. */
  private static final int REST = 19;

  private static final Logger LOG = LoggerFactory.getLogger(PlanDesk.class);

  private final Executor worker;
  private final @Nullable ThreadPoolExecutor thread;
  private final @Nullable PlanFolder folder;
  private final PlanChoice choice;
  private final LongSupplier nanoTime;

  // Guarded by this.
  private final Map<PlanKey, PlanDecision> decisions = new RecentDecisions();
  private final Set<PlanKey> waiting = new HashSet<>();
  private boolean closed;
  private long restedAtNanos;

  private static final class RecentDecisions extends LinkedHashMap<PlanKey, PlanDecision> {
    private static final long serialVersionUID = 1L;

    RecentDecisions() {
      super(MOST_DECISIONS, 0.75f, true);
    }

    @Override
    protected boolean removeEldestEntry(Map.Entry<PlanKey, PlanDecision> eldest) {
      return size() > MOST_DECISIONS;
    }
  }

  private PlanDesk(
      @Nullable Path folder,
      LongSupplier nanoTime,
      @Nullable Executor worker,
      @Nullable ThreadPoolExecutor thread) {
    this.folder = folder == null ? null : PlanFolder.open(folder);
    choice = new PlanChoice(nanoTime);
    this.nanoTime = nanoTime;
    restedAtNanos = nanoTime.getAsLong();
    this.thread = thread;
    this.worker = worker == null ? Objects.requireNonNull(thread) : worker;
  }

  /**
   * Opens a desk with a thread of its own, which it starts with the first request.
   *
   * @param folder folder of files with decisions, created with the first one; null for none
   */
  public static PlanDesk open(@Nullable Path folder) {
    return new PlanDesk(folder, System::nanoTime, null, thread());
  }

  /**
   * Returns a desk that plans with an executor, such as the caller's own thread, for rehearsals and
   * tests.
   *
   * @param nanoTime the time, in nanoseconds, with which planning is measured
   */
  public static PlanDesk on(Executor worker, @Nullable Path folder, LongSupplier nanoTime) {
    return new PlanDesk(folder, nanoTime, worker, null);
  }

  // The priority is a courtesy to threads that train; nothing depends on it.
  @SuppressWarnings("ThreadPriorityCheck")
  private static ThreadPoolExecutor thread() {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(MOST_WAITING),
            work -> {
              Thread made = new Thread(work, "tensor-plans");
              made.setDaemon(true);
              made.setPriority(Thread.MIN_PRIORITY);
              return made;
            });
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /**
   * Returns the decision about a step. If there is none yet, it is made in the background; a later
   * call returns it.
   */
  synchronized Optional<PlanDecision> ask(PlanRequest request) {
    PlanDecision known = decisions.get(request.key());
    if (known == null) {
      var unused = submit(request, false);
      known = decisions.get(request.key());
    }
    return Optional.ofNullable(known);
  }

  /**
   * Runs other work of planning on this desk's thread, after all earlier requests.
   *
   * @throws RejectedExecutionException if too much work waits, or the desk is closed
   */
  public void execute(Runnable work) {
    synchronized (this) {
      if (closed) {
        throw new RejectedExecutionException("the desk is closed");
      }
    }
    worker.execute(work);
  }

  /**
   * Requests a new plan of a step, because the measured times have changed. Returns false if too
   * many steps wait, or if too little time has passed since the last such request; the caller must
   * then ask again. So measurements that change all the time cost only a bounded share of a core.
   */
  synchronized boolean replan(PlanRequest request) {
    return nanoTime.getAsLong() - restedAtNanos >= 0 && submit(request, true);
  }

  /**
   * Hands a request to the worker, unless the step is being planned.
   *
   * @param anew whether a decision of the folder does not count
   */
  private boolean submit(PlanRequest request, boolean anew) {
    if (closed || !waiting.add(request.key())) {
      return false;
    }
    // A decision that is made anew must not be taken for the new one meanwhile.
    PlanDecision former = anew ? decisions.remove(request.key()) : null;
    try {
      worker.execute(() -> decide(request, anew));
      return true;
    } catch (RejectedExecutionException full) {
      // It is asked for again with the next step.
      waiting.remove(request.key());
      if (former != null) {
        decisions.put(request.key(), former);
      }
      return false;
    }
  }

  private void decide(PlanRequest request, boolean anew) {
    PlanDecision decision = null;
    long start = nanoTime.getAsLong();
    try {
      Optional<PlanDecision> stored =
          folder == null || anew ? Optional.empty() : folder.read(request.key(), request.graph());
      if (stored.isPresent()) {
        decision = stored.get();
      } else {
        PlanChoice.Chosen chosen = choice.decide(request, early -> meanwhile(request.key(), early));
        decision = chosen.decision();
        // What was decided for want of time holds for this process only.
        if (folder != null && !chosen.cut()) {
          folder.write(request.key(), decision);
        }
      }
    } catch (InterruptedException closing) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException | Error failed) {
      // A step without a decision would be asked for again with each of its runs.
      LOG.warn(
          "a step of {} kernels could not be planned", request.graph().kernels().size(), failed);
      decision = PlanDecision.failed(request, failed);
    } finally {
      decided(request.key(), decision, anew ? nanoTime.getAsLong() - start : 0);
    }
  }

  /** Has a step follow what was decided before a planner that takes long. */
  private synchronized void meanwhile(PlanKey key, PlanDecision early) {
    decisions.put(key, early);
  }

  private synchronized void decided(PlanKey key, @Nullable PlanDecision decision, long anewNanos) {
    waiting.remove(key);
    if (anewNanos > 0) {
      restedAtNanos = nanoTime.getAsLong() + REST * anewNanos;
    }
    if (decision != null) {
      decisions.put(key, decision);
    }
  }

  /** Ends planning: waits for the thread, and forgets all requests. A second call does nothing. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    if (thread == null) {
      return;
    }
    thread.shutdownNow();
    try {
      if (!thread.awaitTermination(CLOSE_SECONDS, TimeUnit.SECONDS)) {
        LOG.warn("the thread that plans has not ended within {} s", CLOSE_SECONDS);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
