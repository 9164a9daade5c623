package io.idlalayer.middleware.models.manifest;

/**
 * A pin: it keeps a version in service although the version is not the newest.
 *
 * @param version the version that serves
 * @param digest digest of the version's manifest
 * @param until the pin holds until a version above this number is current; 0: until the pin is
 *     removed
 * @param reason a readable sentence
 * @param by the process or learner that set the pin
 * @param atMillis when the pin was set, epoch milliseconds
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
   * Returns whether this pin forbids a program to put an older version in service. A pin does so if
   * it has no end, or if it has already replaced {@code candidate} by another version.
   *
   * @param older the version that would serve
   * @param candidate the version that it would replace
   */
  public boolean forbids(long older, long candidate) {
    return until == 0 || (holds(candidate) && (version != older || until > candidate));
  }

  /**
   * Returns whether this pin was set in order to take a version out of service: a version after the
   * pinned one, up to the version that was current when the pin was set. The result does not change
   * when the pin ends.
   */
  public boolean left(long candidate) {
    return candidate > version && candidate <= until;
  }
}
