package io.idlalayer.jobs.learner.state;

/** Remembers which parts of a learner's durable state have changed. */
public interface StateSaver {
  /**
   * Marks exactly the slots that a change names, so that they are written with the next checkpoint.
   */
  void save(StateChange change);
}
