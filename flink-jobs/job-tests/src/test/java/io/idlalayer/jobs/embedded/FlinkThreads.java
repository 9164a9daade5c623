package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Set;

/**
 * The threads of Flink's clusters that a test starts. Flink leaves those of a cluster that fails
 * while it starts, so tests of one process are told apart.
 */
final class FlinkThreads {
  private final Set<Thread> before = now();

  private static Set<Thread> now() {
    Set<Thread> found = new HashSet<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("flink-pekko") || thread.getName().equals("flink-start")) {
        found.add(thread);
      }
    }
    return found;
  }

  /** Fails if a cluster that started since the creation of this object still runs or starts. */
  void assertEnded() {
    Set<Thread> left = now();
    left.removeAll(before);
    assertThat(left).isEmpty();
  }
}
