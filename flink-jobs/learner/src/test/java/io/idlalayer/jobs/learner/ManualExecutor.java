package io.idlalayer.jobs.learner;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/** Runs tasks in order, on the caller's thread, when its owner calls it. */
public final class ManualExecutor extends AbstractExecutorService {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private boolean shutdown;

  /** Returns whether a task waits. */
  public boolean busy() {
    return !tasks.isEmpty();
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  /** Runs the oldest task. Returns false if there is none. */
  public boolean runOne() {
    Runnable task = tasks.poll();
    if (task == null) {
      return false;
    }
    task.run();
    return true;
  }

  @Override
  public void shutdown() {
    shutdown = true;
  }

  @Override
  public List<Runnable> shutdownNow() {
    shutdown = true;
    List<Runnable> left = List.copyOf(tasks);
    tasks.clear();
    return left;
  }

  @Override
  public boolean isShutdown() {
    return shutdown;
  }

  @Override
  public boolean isTerminated() {
    return shutdown && tasks.isEmpty();
  }

  @Override
  public boolean awaitTermination(long timeout, TimeUnit unit) {
    return isTerminated();
  }
}
