package io.idlalayer.benchmarks.campaign.input;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.benchmarks.campaign.check.Checker;
import io.idlalayer.benchmarks.campaign.check.Observed;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Observations of one run with an odd input; the only input of its check.
 *
 * @param about what the input is about
 * @param readings events of the input as they must be read
 * @param expected what must come of it
 * @param exitCode exit code of the run; -1 if it had to be killed
 * @param terminal all that the run has printed
 * @param report report of the run; null if it wrote none
 * @param events events in the topic; their order is that of the input
 * @param deadLetters places of the malformed events among them, from 0
 * @param seconds how long the run took
 * @param boundSeconds longest time that it may take
 */
public record InputHistory(
    List<String> about,
    List<Reading> readings,
    Expected expected,
    int exitCode,
    String terminal,
    @Nullable JsonNode report,
    List<String> events,
    List<Integer> deadLetters,
    double seconds,
    double boundSeconds)
    implements Observed {
  @Override
  public Checker.Findings check() {
    return InputCheck.check(this);
  }
}
