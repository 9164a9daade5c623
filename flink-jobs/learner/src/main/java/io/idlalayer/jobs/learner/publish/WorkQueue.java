package io.idlalayer.jobs.learner.publish;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** Runs slow work on another thread, one task after the other. */
public interface WorkQueue {
  /** Queues a task behind the tasks that are queued already. */
  <T> Future<T> run(Callable<T> work);
}
