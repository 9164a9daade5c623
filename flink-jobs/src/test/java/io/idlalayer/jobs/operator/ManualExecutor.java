package io.idlalayer.jobs.operator;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.RunnableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Runs tasks in order, on the caller's thread, when the test says so. */
final class ManualExecutor extends AbstractExecutorService {
  private final Queue<Runnable> tasks = new java.util.concurrent.ConcurrentLinkedQueue<>();
  private boolean shutdown;

  /** Whether waiting for a result runs tasks. */
  boolean waitedFor;

  /** Whether a task waits. */
  boolean busy() {
    return !tasks.isEmpty();
  }

  /** Who waits for a result for a second or longer lets the tasks run meanwhile. */
  @Override
  protected <T> RunnableFuture<T> newTaskFor(Callable<T> work) {
    return new FutureTask<>(work) {
      @Override
      public T get(long timeout, TimeUnit unit)
          throws InterruptedException, ExecutionException, TimeoutException {
        while (unit.toSeconds(timeout) >= 1 && !isDone() && waitedFor && runOne()) {}
        return super.get(timeout, unit);
      }
    };
  }

  @Override
  public void execute(Runnable task) {
    tasks.add(task);
  }

  /** Runs the oldest task. Returns false if there is none. */
  boolean runOne() {
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
