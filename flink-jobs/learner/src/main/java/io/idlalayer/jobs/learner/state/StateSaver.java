package io.idlalayer.jobs.learner.state;

/** Writes changes to a learner's durable state. */
public interface StateSaver {
  /** Writes exactly the slots that a change names. */
  void save(StateChange change);
}
