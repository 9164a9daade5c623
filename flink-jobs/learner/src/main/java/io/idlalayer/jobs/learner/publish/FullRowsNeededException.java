package io.idlalayer.jobs.learner.publish;

import java.io.IOException;

/**
 * Thrown if a version cannot be published as changes of the previous version, because the store no
 * longer has the previous version's rows. The publication needs all rows of the learner, which only
 * the operator's thread is allowed to read.
 */
final class FullRowsNeededException extends IOException {
  private static final long serialVersionUID = 1L;

  FullRowsNeededException(String why) {
    super(why);
  }
}
