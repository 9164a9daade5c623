package io.idlalayer.middleware.models.serve;

import java.time.Duration;

/** Where notices of new versions come from. Used by one thread. */
public interface NoticeSource extends AutoCloseable {
  /** Opens a source, again after one has failed. */
  @FunctionalInterface
  interface Opener {
    /**
     * @throws Exception if there is none to be had now; it is tried again later
     */
    NoticeSource open() throws Exception;
  }

  /**
   * Waits for a notice. Whatever else is thrown, the source is closed and another one opened.
   *
   * @return whether one came; its content does not matter, the pointer is the truth
   */
  boolean await(Duration longest) throws InterruptedException;

  @Override
  void close();
}
