package io.idlalayer.modelruntime.serve;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.artifact.ServedMixture.Expert;
import io.idlalayer.modelruntime.artifact.ServedMixture.Kind;
import io.idlalayer.modelruntime.artifact.TargetScaling;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Turns the prediction of a network into the weighted mean of the experts in its version. An event
 * whose context is known has experts of its own. Immutable.
 */
public final class Experts {
  private final ServedMixture mixture;
  private final SampleSchema schema;
  private final TargetScaling targets;

  /** What the prior predicts, for events whose last label is not known. */
  private final double[] prior;

  /** Share of the members in context in what the network alone predicts for events with context. */
  private final double inContextShare;

  private Experts(ServedMixture mixture, SampleSchema schema, TargetScaling targets) {
    this.mixture = mixture;
    this.schema = schema;
    this.targets = targets;
    double without = weight(Kind.MEMBERS_WITHOUT_CONTEXT);
    double inContext = weight(Kind.MEMBERS_IN_CONTEXT);
    inContextShare = without + inContext > 0 ? inContext / (without + inContext) : 0.5;
    prior =
        mixture.experts().stream()
            .map(Expert::values)
            .filter(Objects::nonNull)
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException("the mixture has no prior"));
  }

  /**
   * Returns the experts of a mixture; null for none.
   *
   * @param spec specification of the model
   * @param scaler scaler of the model
   */
  public static @Nullable Experts of(
      @Nullable ServedMixture mixture, ModelSpec spec, FeatureScaler scaler) {
    return mixture == null ? null : new Experts(mixture, spec.schema(), scaler.target());
  }

  /** Returns the weight of an expert for events with context; 0 if there is none. */
  private double weight(Kind kind) {
    return mixture.inContext().stream()
        .filter(expert -> expert.kind() == kind)
        .mapToDouble(Expert::weight)
        .sum();
  }

  /** Returns the experts whose weighted mean is predicted for such a network's prediction. */
  public List<Expert> of(NetworkPrediction network) {
    return network.members() == null ? mixture.experts() : mixture.inContext();
  }

  /**
   * Returns the weighted mean of the experts: probabilities of the classes, or one target in its
   * own units.
   */
  public double[] mean(Sample sample, NetworkPrediction network) {
    double[] mean = new double[prior.length];
    for (Expert expert : of(network)) {
      double[] prediction = prediction(expert, sample, network);
      for (int k = 0; k < mean.length; k++) {
        mean[k] += expert.weight() * prediction[k];
      }
    }
    return mean;
  }

  /** Returns what an expert predicts alone. */
  public double[] prediction(Expert expert, Sample sample, NetworkPrediction network) {
    return switch (expert.kind()) {
      case NETWORK -> alone(network);
      case MEMBERS_WITHOUT_CONTEXT -> members(network).withoutContext();
      case MEMBERS_IN_CONTEXT -> members(network).inContext();
      case PRIOR -> prior;
      case NO_CHANGE -> noChange(expert, schema.lastLabel(sample.context()));
    };
  }

  /** Returns what the network predicts without the references, by the weights of its members. */
  private double[] alone(NetworkPrediction network) {
    NetworkPrediction.Members members = network.members();
    if (members == null) {
      return network.mean();
    }
    double[] mean = new double[prior.length];
    for (int k = 0; k < mean.length; k++) {
      mean[k] =
          (1 - inContextShare) * members.withoutContext()[k]
              + inContextShare * members.inContext()[k];
    }
    return mean;
  }

  private static NetworkPrediction.Members members(NetworkPrediction network) {
    return Objects.requireNonNull(network.members(), "the network's prediction has no context");
  }

  private double[] noChange(Expert expert, double last) {
    if (Double.isNaN(last)) {
      return prior;
    }
    double[] repeats = expert.repeats();
    if (repeats == null) {
      return new double[] {targets.counted(last)};
    }
    int repeated = (int) last;
    double[] probabilities = new double[prior.length];
    double others = 1 - prior[repeated];
    for (int k = 0; k < probabilities.length; k++) {
      // A prior without other classes says nothing of them.
      double share = others > 0 ? prior[k] / others : 1.0 / (probabilities.length - 1);
      probabilities[k] = (1 - repeats[repeated]) * share;
    }
    probabilities[repeated] = probabilities.length == 1 ? 1 : repeats[repeated];
    return probabilities;
  }
}
