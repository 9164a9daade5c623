package io.idlalayer.jobs.learner.publish;

import java.util.concurrent.Callable;
import java.util.concurrent.Future;

/** Does slow work on another thread, one piece after the other. */
public interface WorkQueue {
  /** Queues a piece of work behind what is queued already. */
  <T> Future<T> run(Callable<T> work);
}
