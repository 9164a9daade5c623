package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;

/**
 * The verdict of the release gate on a mixed model.
 *
 * @param baselineVersion version of the baseline with which the model was compared; 0 if the
 *     baseline was withheld, so that only learners have it
 * @param samples number of compared samples of all partitions
 * @param difference by how much the model is worse on these samples, in units of the metric; below
 *     0 if the model is better
 * @param problems why learners could not compare the model, one sentence for each such learner
 */
public record CandidateVerdict(
    Outcome outcome, long baselineVersion, long samples, double difference, List<String> problems) {
  private static final StateFormat FORMAT = StateFormat.first("verdict on a mixed model");
  private static final String OUTCOME = "mixing.verdict";
  private static final String PROBLEMS = "mixing.not-compared";
  private static final String SEPARATOR = "\n";

  public CandidateVerdict {
    problems = List.copyOf(problems);
  }

  /** Creates the verdict on a model that all learners could compare. */
  public CandidateVerdict(Outcome outcome, long baselineVersion, long samples, double difference) {
    this(outcome, baselineVersion, samples, difference, List.of());
  }

  /** The outcome for the model. */
  public enum Outcome {
    /** The model is as good as the baseline and becomes the new baseline. */
    GOOD,
    /** The time was over before enough samples were compared. The model is published. */
    UNDECIDED,
    /** The model is worse and is not published. */
    WORSE
  }

  /** Returns whether the model is published. */
  public boolean passes() {
    return outcome != Outcome.WORSE;
  }

  /** Describes the finding in a part of a sentence. */
  public String describe() {
    return String.format(
        Locale.ROOT,
        "%s by %.4f than %s on %d samples of all partitions",
        difference > 0 ? "worse" : "better",
        Math.abs(difference),
        baselineVersion == 0 ? "the last model, which was withheld," : "version " + baselineVersion,
        samples);
  }

  /** Adds the comparison to the entries of a version's manifest. */
  void putInto(SortedMap<String, Long> counts, SortedMap<String, Double> metrics) {
    if (samples > 0) {
      counts.put("comparedWith", baselineVersion);
      counts.put("comparedSamples", samples);
      metrics.put("comparedDifference", difference);
    }
  }

  /** Adds the whole verdict to the entries of a manifest. */
  void putInto(
      SortedMap<String, Long> counts,
      SortedMap<String, Double> metrics,
      SortedMap<String, String> attributes) {
    putInto(counts, metrics);
    counts.put("comparedWith", baselineVersion);
    attributes.put(OUTCOME, outcome.name());
    if (!problems.isEmpty()) {
      attributes.put(PROBLEMS, String.join(SEPARATOR, problems));
    }
  }

  /** Returns the verdict of a manifest; empty if it has none. */
  public static Optional<CandidateVerdict> of(ModelManifest manifest) {
    String name = manifest.attributes().get(OUTCOME);
    return Arrays.stream(Outcome.values())
        .filter(each -> each.name().equals(name))
        .findFirst()
        .map(
            outcome ->
                new CandidateVerdict(
                    outcome,
                    manifest.counts().getOrDefault("comparedWith", 0L),
                    manifest.counts().getOrDefault("comparedSamples", 0L),
                    manifest.metrics().getOrDefault("comparedDifference", 0.0),
                    problems(manifest.attributes().getOrDefault(PROBLEMS, ""))));
  }

  private static List<String> problems(String text) {
    return text.isEmpty() ? List.of() : text.lines().toList();
  }

  byte[] encode() {
    return FORMAT
        .writer()
        .putText(1, outcome.name())
        .putLong(2, baselineVersion)
        .putLong(3, samples)
        .putDouble(4, difference)
        .putText(5, String.join(SEPARATOR, problems))
        .bytes();
  }

  static CandidateVerdict decode(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    return new CandidateVerdict(
        Outcome.valueOf(in.getText(1)),
        in.getLong(2),
        in.getLong(3),
        in.getDouble(4),
        problems(in.getText(5)));
  }
}
