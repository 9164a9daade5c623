package io.idlalayer.middleware.models.manifest;

/**
 * A pin: a version serves although it is not the newest.
 *
 * @param version the version that serves
 * @param digest digest of its manifest
 * @param until the pin holds until a version above this one is current; 0: until it is removed
 * @param reason a readable sentence
 * @param by the process or learner that set it
 * @param atMillis when it was set, epoch milliseconds
 */
public record Pin(
    int formatVersion,
    long version,
    String digest,
    long until,
    String reason,
    String by,
    long atMillis) {
  /** Returns whether it holds while a version is the current one. */
  public boolean holds(long current) {
    return until == 0 || current <= until;
  }

  /**
   * Returns whether this pin forbids a program to put an older version in service: it holds until
   * it is removed, or it has replaced {@code candidate} by another version already.
   *
   * @param older the version that would serve
   * @param candidate the version that it would replace
   */
  public boolean forbids(long older, long candidate) {
    return until == 0 || (holds(candidate) && (version != older || until > candidate));
  }

  /**
   * Returns whether it was set to leave a version: one after the pinned version, up to the one that
   * was current then. Those are left after the pin has ended, too.
   */
  public boolean left(long candidate) {
    return candidate > version && candidate <= until;
  }
}
