package io.idlalayer.benchmarks.campaign.check;

/** What must hold whatever happens. */
public enum Invariant {
  /** Every committed event is in exactly one class, and what is lost is named. */
  CONSERVATION,
  /** No event is trained as new twice along any lineage. */
  ONCE,
  /** No version serves fewer trained samples than the one before, except by a declared branch. */
  RESURRECTION,
  /** Every parent digest names a version that exists, and the sums along the lineage agree. */
  LINEAGE,
  /** The counts by class equal those of a run without faults over the same events. */
  EQUIVALENCE,
  /** Malformed events are in the dead letters, by offset, and nothing else is. */
  DEAD_LETTERS,
  /** Versions that served only grow, and each was one whole version. */
  SUBSCRIBER,
  /** The run ends within its bound after the last fault. */
  LIVENESS,
  /** Exit code 0 means that everything was learned; another one comes with a reason in words. */
  EXIT_CODE,
  /** Every row of an input is in its topic exactly once. */
  SENT_ONCE,
  /** Files of other people are as they were. */
  FOREIGN_FILES,
  /** Nothing listens on an address that other hosts reach. */
  SOCKETS,
  /** A setting that is part of the identity of a state is not changed silently. */
  SETTINGS,
  /** The terminal says in words what was refused and why, and shows no stack trace. */
  SENTENCE
}
