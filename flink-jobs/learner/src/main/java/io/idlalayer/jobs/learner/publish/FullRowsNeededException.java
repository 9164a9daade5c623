package io.idlalayer.jobs.learner.publish;

import java.io.IOException;

/**
 * A version cannot be published as changes of the one before it, because the rows of that one are
 * not in the store any more. It needs all rows of the learner, which only its own thread may read.
 */
final class FullRowsNeededException extends IOException {
  private static final long serialVersionUID = 1L;

  FullRowsNeededException(String why) {
    super(why);
  }
}
