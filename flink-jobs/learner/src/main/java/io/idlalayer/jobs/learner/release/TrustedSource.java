package io.idlalayer.jobs.learner.release;

import io.idlalayer.middleware.sample.Sample;
import java.io.IOException;
import java.util.List;

/**
 * Where samples are whose labels are known to be right, which the release gate compares models on.
 */
public interface TrustedSource {
  /** There are none, so that models are compared on samples that arrive. */
  TrustedSource NONE = List::of;

  /**
   * All of them, always the same. Called by any thread.
   *
   * @throws IOException if they cannot be read, naming where and why; they may be tried again
   */
  List<Sample> read() throws IOException;
}
