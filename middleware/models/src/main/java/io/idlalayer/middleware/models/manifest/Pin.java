package io.idlalayer.middleware.models.manifest;

/**
 * Says that a version serves although it is not the newest.
 *
 * @param version that serves
 * @param digest of its manifest
 * @param until the pin holds until a version above this one is current; 0: until it is taken away
 * @param reason a sentence for people
 * @param by who set it: a process, or a learner
 * @param atMillis when, epoch milliseconds
 */
public record Pin(
    int formatVersion,
    long version,
    String digest,
    long until,
    String reason,
    String by,
    long atMillis) {
  /** Whether it holds while a version is the current one. */
  public boolean holds(long current) {
    return until == 0 || current <= until;
  }

  /**
   * Whether it keeps a program from putting an older version in service: somebody has said that
   * this one serves until it is unpinned, or has left the same version already for another one.
   *
   * @param older that would serve
   * @param candidate that it would serve in place of
   */
  public boolean forbids(long older, long candidate) {
    return until == 0 || (holds(candidate) && (version != older || until > candidate));
  }

  /**
   * Whether it was set to leave a version: one after the pinned version, up to the one that was
   * current then. Those are left after the pin has ended, too.
   */
  public boolean left(long candidate) {
    return candidate > version && candidate <= until;
  }
}
