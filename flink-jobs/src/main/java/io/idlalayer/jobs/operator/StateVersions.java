package io.idlalayer.jobs.operator;

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

  /** The version found, if this program reads it. */
  static byte require(String what, byte oldest, byte newest, byte found) {
    if (found < oldest || found > newest) {
      throw new IllegalStateException(
          "%s state has format version %d, this program reads %d to %d; use the program that wrote it"
              .formatted(what, found, oldest, newest));
    }
    return found;
  }
}
