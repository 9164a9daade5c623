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
  /** Returns whether this pin is in effect when a given version is the current one. */
  public boolean holds(long current) {
    return until == 0 || current <= until;
  }

  /**
   * Returns whether this pin forbids a program to put an older version in service. It does if it
   * has no end, or if it has already replaced {@code candidate} by another version.
   *
   * @param older the version that would serve
   * @param candidate the version that it would replace
   */
  public boolean forbids(long older, long candidate) {
    return until == 0 || (holds(candidate) && (version != older || until > candidate));
  }

  /**
   * Returns whether this pin was set in order to leave a version, that is, a version after the
   * pinned one, up to the version that was current then. This stays true after the pin has ended.
   */
  public boolean left(long candidate) {
    return candidate > version && candidate <= until;
  }
}
