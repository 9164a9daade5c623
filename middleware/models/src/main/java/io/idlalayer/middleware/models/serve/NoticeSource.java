package io.idlalayer.middleware.models.serve;

import java.time.Duration;

/**
 * A source of notices, each of which announces a new version of one model. The source reports every
 * notice that is sent after the source was opened; it may report several notices as one. It reports
 * no notice that was sent earlier. For one thread.
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
   * Waits until a notice arrives. If this method throws anything, the caller closes the source and
   * opens another one.
   *
   * @param longest the longest time to wait
   * @return whether a notice came. Its content does not matter: the pointer decides
   * @throws InterruptedException if the thread is interrupted, before or while it waits
   */
  boolean await(Duration longest) throws InterruptedException;

  /** Releases the resources of the source. Does nothing the second time. */
  @Override
  void close();
}
