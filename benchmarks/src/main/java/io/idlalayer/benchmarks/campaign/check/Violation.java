package io.idlalayer.benchmarks.campaign.check;

/** An invariant that did not hold, in words. */
public record Violation(Invariant invariant, String what) {}
