package io.idlalayer.benchmarks.campaign.check;

import java.util.List;

/** What was seen of one round. */
public interface Observed {
  /** Checks it against what must hold. */
  Checker.Findings check();

  /** Returns what is worth noting without being wrong. */
  default List<String> remarks() {
    return List.of();
  }
}
