package io.idlalayer.jobs.source;

import java.util.List;

/** The topics that a job reads are not those that its state was learned from. */
final class InputChangedException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /**
   * @param changes one sentence for each key that differs
   */
  InputChangedException(List<String> changes) {
    super(
        "the input is not the one that was learned so far: %s; put it back, or give --start-over to"
                .formatted(String.join("; ", changes))
            + " begin anew without what was learned");
  }
}
