package io.idlalayer.benchmarks.placement;

import io.idlalayer.middleware.placement.PolicyCase;
import java.util.List;
import java.util.Set;

/** The rivals of the product's policies, for contract tests. */
final class Rivals {
  private static final Set<ComparedPolicy> COLLECTING =
      Set.of(
          ComparedPolicy.CACHED_ARRAYS_0,
          ComparedPolicy.CACHED_ARRAYS_L,
          ComparedPolicy.TWO_LEVEL_MEMORY);

  private Rivals() {}

  static List<PolicyCase> all() {
    return ComparedPolicy.rivals().stream()
        .map(rival -> new PolicyCase(rival.key(), rival::create, COLLECTING.contains(rival)))
        .toList();
  }
}
