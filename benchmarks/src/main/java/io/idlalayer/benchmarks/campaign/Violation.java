package io.idlalayer.benchmarks.campaign;

/** An invariant that did not hold, in words. */
record Violation(Invariant invariant, String what) {}
