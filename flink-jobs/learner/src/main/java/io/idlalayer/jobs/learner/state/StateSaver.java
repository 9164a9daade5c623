package io.idlalayer.jobs.learner.state;

/** Writes what has changed to a learner's durable state. */
public interface StateSaver {
  /** Writes exactly the slots that a change names. */
  void save(StateChange change);
}
