package io.idlalayer.jobs.learner.release;

import io.idlalayer.middleware.sample.Sample;
import java.io.IOException;
import java.util.List;

/** The source of samples with verified labels, on which the release gate compares models. */
public interface TrustedSource {
  /** A source without samples: models are compared on arriving samples. */
  TrustedSource NONE = List::of;

  /**
   * Returns all samples; each call returns equal ones. Safe from any thread.
   *
   * @throws IOException if the samples cannot be read; the message has the place and the reason,
   *     and the caller can try again
   */
  List<Sample> read() throws IOException;
}
