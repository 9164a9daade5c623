package io.idlalayer.jobs.learner;

/** Refuses state that a newer program wrote. */
final class StateVersions {
  private StateVersions() {}

  static void require(String what, byte known, byte found) {
    if (found != known) {
      throw new IllegalStateException(
          "%s state has format version %d, this program reads %d; use the program that wrote it"
              .formatted(what, found, known));
    }
  }
}
