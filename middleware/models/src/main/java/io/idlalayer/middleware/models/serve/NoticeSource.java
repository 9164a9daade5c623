package io.idlalayer.middleware.models.serve;

import java.time.Duration;

/**
 * A source of notices that tell of new versions of one model. It reports every notice that is sent
 * after it was opened, and may report several as one. It reports none that was sent before. One
 * thread.
 */
public interface NoticeSource extends AutoCloseable {
  /** Opens a source of notices, again after one has failed. */
  @FunctionalInterface
  interface Opener {
    /**
     * @throws Exception if no source can be opened now; the caller tries again later
     */
    NoticeSource open() throws Exception;
  }

  /**
   * Waits until a notice arrives. If anything is thrown, the source is closed and another one
   * opened.
   *
   * @param longest the longest time to wait
   * @return whether one came; its content does not matter, the pointer is the truth
   * @throws InterruptedException if the thread is interrupted, before or while it waits
   */
  boolean await(Duration longest) throws InterruptedException;

  /** Releases the resources of the source. Does nothing the second time. */
  @Override
  void close();
}
