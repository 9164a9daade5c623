package io.idlalayer.benchmarks.campaign;

import io.idlalayer.benchmarks.campaign.check.Invariant;
import io.idlalayer.benchmarks.campaign.check.Violation;
import java.util.List;
import java.util.Map;

/**
 * What one round was.
 *
 * @param faults what was really injected, by kind
 * @param checks how often each invariant was tried
 * @param recoverySeconds from each restart to the first sign of work
 * @param notes what was left out, and why
 * @param folder where a round with violations can be looked at; "" for the others
 */
record RoundResult(
    String nemesis,
    int number,
    long seed,
    Map<String, Integer> faults,
    Map<Invariant, Integer> checks,
    List<Violation> violations,
    List<Double> recoverySeconds,
    List<String> notes,
    double seconds,
    String folder) {}
