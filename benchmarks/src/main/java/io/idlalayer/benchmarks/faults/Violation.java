package io.idlalayer.benchmarks.faults;

/** An invariant that did not hold, in words. */
record Violation(Invariant invariant, String what) {}
