package io.idlalayer.jobs.source;

import java.util.List;

/** Thrown if the topics that a job reads are not those from which its state was learned. */
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
