package io.idlalayer.modelruntime.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ServedMixture;
import io.idlalayer.modelruntime.artifact.ServedMixture.Expert;
import io.idlalayer.modelruntime.artifact.ServedMixture.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ExpertsTest {
  private static final ModelSpec CLASSES =
      spec(
          new SampleSchema.Label(
              "y", SampleSchema.Task.CLASSIFICATION, List.of("low", "middle", "high")));
  private static final ModelSpec TARGET =
      spec(new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()));
  private static final double[] PRIOR = {0.5, 0.3, 0.2};
  private static final double[] REPEATS = {0.9, 0.8, 0.4};

  private static ModelSpec spec(SampleSchema.Label label) {
    SampleSchema schema =
        new SampleSchema(
                List.of(),
                List.of(new SampleSchema.DenseFeature("x", 1, 1)),
                List.of(),
                label,
                null)
            .with(new SampleSchema.History(null, 2, false, 1));
    return new ModelSpec(
        schema,
        new ModelSpec.Network.Mlp(List.of(2)),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
        true);
  }

  /** Experts of which one has all the weight of events with context. */
  private static Experts only(ModelSpec spec, FeatureScaler scaler, Kind chosen, double... prior) {
    double @Nullable [] repeats = spec.equals(CLASSES) ? REPEATS : null;
    List<Expert> inContext = new ArrayList<>();
    for (Kind kind : ServedMixture.KINDS_IN_CONTEXT) {
      double weight = kind == chosen ? 1 : 0;
      inContext.add(
          switch (kind) {
            case PRIOR -> Expert.prior(weight, prior);
            case NO_CHANGE -> Expert.noChange(weight, repeats);
            default -> Expert.network(kind, weight);
          });
    }
    return Experts.of(
        new ServedMixture(ServedMixture.of(0.25, 0.75, prior).experts(), inContext), spec, scaler);
  }

  private static Sample inContext(double... context) {
    return Sample.of(new double[] {1}, 0).withContext(new KeyContext(7, 1, context));
  }

  private static double[] mean(Kind kind, double... context) {
    NetworkPrediction network =
        new NetworkPrediction(
            new double[] {1, 0, 0},
            new NetworkPrediction.Members(
                new double[] {0.1, 0.1, 0.8}, new double[] {0.3, 0.5, 0.2}));
    return only(CLASSES, FeatureScaler.empty(CLASSES), kind, PRIOR)
        .mean(inContext(context), network);
  }

  @Test
  void mean_inContext_isThatOfEachExpertByItsWeight() {
    double[] unknown = new double[6];
    assertThat(mean(Kind.NETWORK, unknown))
        .containsExactly(new double[] {0.2, 0.3, 0.5}, within(1e-12));
    assertThat(mean(Kind.MEMBERS_WITHOUT_CONTEXT, unknown)).containsExactly(0.1, 0.1, 0.8);
    assertThat(mean(Kind.MEMBERS_IN_CONTEXT, unknown)).containsExactly(0.3, 0.5, 0.2);
    assertThat(mean(Kind.PRIOR, unknown)).containsExactly(PRIOR);
  }

  @Test
  void prediction_ofTheNetworkInContext_isThatOfItsMembersByTheirWeights() {
    NetworkPrediction network =
        new NetworkPrediction(
            new double[] {1, 0, 0},
            new NetworkPrediction.Members(
                new double[] {0.1, 0.1, 0.8}, new double[] {0.3, 0.5, 0.2}));
    Expert first = Expert.network(Kind.NETWORK, 0);
    FeatureScaler scaler = FeatureScaler.empty(CLASSES);
    Sample sample = inContext(new double[6]);
    assertThat(
            only(CLASSES, scaler, Kind.MEMBERS_IN_CONTEXT, PRIOR)
                .prediction(first, sample, network))
        .containsExactly(0.3, 0.5, 0.2);
    assertThat(
            only(CLASSES, scaler, Kind.MEMBERS_WITHOUT_CONTEXT, PRIOR)
                .prediction(first, sample, network))
        .containsExactly(0.1, 0.1, 0.8);
  }

  @Test
  void mean_noChangeOfAClass_isThisClassOrTheOthersByTheirFrequency() {
    // The class repeats with 0.8; the others share 0.2 as 5 to 2.
    assertThat(mean(Kind.NO_CHANGE, 0, 1, 0, 1, 0, 0))
        .containsExactly(new double[] {1.0 / 7, 0.8, 0.4 / 7}, within(1e-12));
  }

  @Test
  void mean_noChangeWithoutAKnownLabel_isThePrior() {
    assertThat(mean(Kind.NO_CHANGE, 0, 0, 0, 0, 0, 0)).containsExactly(PRIOR);
  }

  @Test
  void mean_onlyOneClassHasAPrior_othersShareEqually() {
    Experts experts = only(CLASSES, FeatureScaler.empty(CLASSES), Kind.NO_CHANGE, 1, 0, 0);
    double[] none = new double[3];
    NetworkPrediction network =
        new NetworkPrediction(none, new NetworkPrediction.Members(none, none));
    assertThat(experts.mean(inContext(1, 0, 0, 0, 0, 0), network))
        .containsExactly(new double[] {0.9, 0.05, 0.05}, within(1e-12));
  }

  @Test
  void mean_noChangeOfATarget_isTheLastOneWithinTheTrainedRange() throws Exception {
    FeatureScaler scaler =
        FeatureScaler.empty(TARGET).including(List.of(inContext(0, 0, 0, 0), ofTarget(3)));
    Experts experts = only(TARGET, scaler, Kind.NO_CHANGE, 2);
    double[] none = new double[1];
    NetworkPrediction network =
        new NetworkPrediction(none, new NetworkPrediction.Members(none, none));
    assertThat(experts.mean(inContext(3, 1, Double.NaN, 0), network)).containsExactly(3);
    assertThat(experts.mean(inContext(1e300, 1, 3, 1), network))
        .containsExactly(scaler.target().counted(1e300));
    assertThat(experts.mean(inContext(Double.NaN, 0, Double.NaN, 0), network)).containsExactly(2);
  }

  private static Sample ofTarget(double target) {
    return inContext(0, 0, 0, 0).withLabel(target);
  }

  @Test
  void mean_withoutContext_isThatOfNetworkAndPrior() {
    double[] found =
        only(CLASSES, FeatureScaler.empty(CLASSES), Kind.NO_CHANGE, PRIOR)
            .mean(
                Sample.of(new double[] {1}, 0),
                new NetworkPrediction(new double[] {0, 0, 1}, null));
    assertThat(found).containsExactly(new double[] {0.375, 0.225, 0.4}, within(1e-12));
  }
}
