package io.idlalayer.jobs.learner.publish;

/**
 * What a learner's model has forgotten.
 *
 * @param samples number of withdrawn samples without which it was trained again
 * @param before the newest version that may have learned from one of them, and so may all before; 0
 *     for none
 * @param unpublished whether no version has forgotten all of them yet, so that {@code before} is
 *     not known for the last ones
 */
public record Forgotten(long samples, long before, boolean unpublished) {
  public static final Forgotten NOTHING = new Forgotten(0, 0, false);

  /** Returns the newest version that is to be deleted; 0 for none. */
  long deletedUpTo() {
    return unpublished ? 0 : before;
  }

  /** Returns this with further samples, which no version has forgotten yet. */
  public Forgotten plus(int more) {
    return new Forgotten(samples + more, before, true);
  }

  /** Returns this after a version was published that has forgotten all of them. */
  public Forgotten publishedAs(long version) {
    return new Forgotten(samples, version - 1, false);
  }
}
