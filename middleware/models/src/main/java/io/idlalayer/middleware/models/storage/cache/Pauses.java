package io.idlalayer.middleware.models.storage.cache;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The clock and the pauses of a process that waits for another one. Any thread. */
interface Pauses {
  /** Returns nanoseconds that never go back, as {@link System#nanoTime}. */
  long nanoTime();

  /** Waits for a time. */
  void pause(Duration time) throws InterruptedException;

  /** Returns the real clock. */
  static Pauses system() {
    return new Pauses() {
      @Override
      public long nanoTime() {
        return System.nanoTime();
      }

      @Override
      public void pause(Duration time) throws InterruptedException {
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
      }
    };
  }
}
