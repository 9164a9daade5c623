package io.idlalayer.middleware.checkpoint;

import java.time.Duration;

/** Where notices of new versions come from. Used by one thread. */
public interface NoticeSource extends AutoCloseable {
  /**
   * Waits for a notice.
   *
   * @return whether one came; its content does not matter, the pointer is the truth
   */
  boolean await(Duration longest) throws InterruptedException;

  @Override
  void close();
}
