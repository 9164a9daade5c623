package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.LeaseTimeoutException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Lets kernels of several threads run one after another if their arguments must be staged: the fast
 * device then holds all arguments of each kernel, and a kernel must not find an argument pinned by
 * another thread where it cannot access it. On other memories, kernels run beside each other.
 */
final class KernelTurns {
  private final boolean oneByOne;
  private final long waitNanos;
  private final ReentrantLock turn = new ReentrantLock(true);

  /**
   * The right of a thread to run a kernel. Used by one thread, which may hold several for kernels
   * within a kernel.
   */
  final class Turn implements AutoCloseable {
    private boolean open = oneByOne;

    private Turn() {}

    /** Lets the kernel of another thread begin. A second call does nothing. */
    @Override
    public void close() {
      if (open) {
        open = false;
        turn.unlock();
      }
    }
  }

  /**
   * @param oneByOne whether a kernel waits for those of other threads
   * @param waitNanos longest wait for them
   */
  KernelTurns(boolean oneByOne, long waitNanos) {
    this.oneByOne = oneByOne;
    this.waitNanos = waitNanos;
  }

  /**
   * Waits until no kernel of another thread runs, if kernels run one by one. The caller holds no
   * lock of the engine.
   *
   * @throws LeaseTimeoutException if they take longer than the memory's longest wait
   */
  Turn take(String kernel) throws InterruptedException {
    if (oneByOne && !turn.tryLock(waitNanos, TimeUnit.NANOSECONDS)) {
      throw new LeaseTimeoutException(
          "kernel %s waited %d ms for the kernels of other threads, which cannot run beside it: the"
                  .formatted(kernel, TimeUnit.NANOSECONDS.toMillis(waitNanos))
              + " fast device stages the arguments of one kernel at a time");
    }
    return new Turn();
  }
}
