package io.idlalayer.modelruntime.artifact;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.middleware.sample.SampleSchema;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The experts whose weighted mean a version predicts: its network and the references beside it.
 * Immutable; part of the model.
 *
 * @param experts the network is the first
 */
public record ServedMixture(List<Expert> experts) {
  private static final int FORMAT_VERSION = 1;

  /** Largest deviation of a sum of weights or probabilities from 1. */
  private static final double ROUNDING = 1e-6;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  /** The kinds of experts. */
  public enum Kind {
    /** The network, or the mean of its members. */
    @JsonProperty("network")
    NETWORK,
    /** The frequencies of the classes, or the mean of the target. */
    @JsonProperty("prior")
    PRIOR
  }

  /**
   * An expert.
   *
   * @param weight its weight, 0 to 1; those of all experts add up to 1
   * @param values what a prior predicts: the probability of each class, or one target in its own
   *     units; null for a network
   */
  @JsonInclude(JsonInclude.Include.NON_NULL)
  public record Expert(Kind kind, double weight, double @Nullable [] values) {}

  private record Wire(int formatVersion, List<Expert> experts) {}

  public ServedMixture {
    experts = List.copyOf(experts);
  }

  /** Returns the mixture of a network and a prior. */
  public static ServedMixture of(double networkWeight, double priorWeight, double[] prior) {
    return new ServedMixture(
        List.of(
            new Expert(Kind.NETWORK, networkWeight, null),
            new Expert(Kind.PRIOR, priorWeight, prior)));
  }

  /** Returns the weight of the network, by which its prediction is multiplied. */
  public double networkWeight() {
    return experts.get(0).weight();
  }

  /**
   * Returns what is added to the weighted prediction of the network: the weighted predictions of
   * the other experts.
   *
   * @param width number of the model's outputs
   */
  public double[] added(int width) {
    double[] sum = new double[width];
    for (Expert expert : experts) {
      double[] values = expert.values();
      for (int k = 0; values != null && k < sum.length; k++) {
        sum[k] += expert.weight() * values[k];
      }
    }
    return sum;
  }

  /** Returns this mixture with the targets of its references limited to usual ones. */
  ServedMixture limited(FeatureScaler scaler) {
    return new ServedMixture(
        experts.stream()
            .map(
                each -> {
                  double[] values = each.values();
                  return values == null
                      ? each
                      : new Expert(
                          each.kind(),
                          each.weight(),
                          Arrays.stream(values).map(scaler.target()::usual).toArray());
                })
            .toList());
  }

  public byte[] encode() {
    try {
      return JSON.writeValueAsBytes(new Wire(FORMAT_VERSION, experts));
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Reads the mixture of a model.
   *
   * @throws MalformedModelException if the bytes are not a mixture for such a model
   */
  static ServedMixture decode(byte[] bytes, ModelSpec spec) throws MalformedModelException {
    Wire wire;
    try {
      wire = JSON.readValue(bytes, Wire.class);
    } catch (IOException | RuntimeException broken) {
      throw new MalformedModelException(
          "mixture.json cannot be read: " + broken.getMessage(), broken);
    }
    if (wire == null || wire.formatVersion() != FORMAT_VERSION || wire.experts() == null) {
      throw new MalformedModelException("mixture.json is not in format " + FORMAT_VERSION);
    }
    double sum = 0;
    for (int i = 0; i < wire.experts().size(); i++) {
      Expert expert = wire.experts().get(i);
      if (expert == null
          || !(expert.weight() >= 0)
          || (expert.kind() == Kind.NETWORK) != (i == 0)
          || !fits(expert, spec)) {
        throw new MalformedModelException(
            String.format(
                Locale.ROOT, "expert %d of mixture.json does not fit the model's outputs", i + 1));
      }
      sum += expert.weight();
    }
    if (!(Math.abs(sum - 1) <= ROUNDING)) {
      throw new MalformedModelException(
          String.format(Locale.ROOT, "the weights in mixture.json add up to %s instead of 1", sum));
    }
    return new ServedMixture(wire.experts());
  }

  private static boolean fits(Expert expert, ModelSpec spec) {
    double[] values = expert.values();
    if (expert.kind() != Kind.PRIOR) {
      return expert.kind() == Kind.NETWORK && values == null;
    }
    if (values == null
        || values.length != spec.outputWidth()
        || !Arrays.stream(values).allMatch(Double::isFinite)) {
      return false;
    }
    return spec.schema().label().task() == SampleSchema.Task.REGRESSION
        || (Arrays.stream(values).allMatch(value -> value >= 0)
            && Math.abs(Arrays.stream(values).sum() - 1) <= ROUNDING);
  }
}
