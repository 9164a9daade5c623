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
   * @throws IOException if they cannot be read, with the place and the reason; the caller may try
   *     again
   */
  List<Sample> read() throws IOException;
}
