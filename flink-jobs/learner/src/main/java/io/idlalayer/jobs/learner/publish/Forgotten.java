package io.idlalayer.jobs.learner.publish;

/**
 * What a learner's model has forgotten.
 *
 * @param samples number of withdrawn samples without which it was trained again
 * @param before the newest version that may have learned from one of them, and so may all before;
 *     0 for none
 */
public record Forgotten(long samples, long before) {
  public static final Forgotten NOTHING = new Forgotten(0, 0);
}
