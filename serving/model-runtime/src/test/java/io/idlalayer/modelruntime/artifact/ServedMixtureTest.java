package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.change.ColumnMap;
import io.idlalayer.middleware.sample.change.UnseenClass;
import io.idlalayer.modelruntime.artifact.ServedMixture.Expert;
import io.idlalayer.modelruntime.artifact.ServedMixture.Kind;
import io.idlalayer.modelruntime.serve.Experts;
import io.idlalayer.modelruntime.serve.NetworkPrediction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ServedMixtureTest {
  private static final ModelSpec CLASSES =
      spec(new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")));
  private static final Sample SAMPLE = Sample.of(new double[] {1}, 1);
  private static final ModelSpec TARGET =
      spec(new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()));

  private static final ModelSpec CLASSES_IN_CONTEXT =
      CLASSES.with(CLASSES.schema().with(new SampleSchema.History(null, 1, false, 1)));
  private static final ModelSpec TARGET_IN_CONTEXT =
      TARGET.with(TARGET.schema().with(new SampleSchema.History(null, 1, false, 1)));

  private static ModelSpec spec(SampleSchema.Label label) {
    return new ModelSpec(
        new SampleSchema(
            List.of(), List.of(new SampleSchema.DenseFeature("x", 1, 1)), List.of(), label, null),
        new ModelSpec.Network.Mlp(List.of(2)),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.1, 0),
        true);
  }

  private static ServedMixture read(String json, ModelSpec spec) throws MalformedModelException {
    return ServedMixture.decode(json.getBytes(StandardCharsets.UTF_8), spec);
  }

  private static String json(String experts) {
    return "{\"formatVersion\":2,\"experts\":[" + experts + "]}";
  }

  @Test
  void decode_whatWasEncoded_predictsAlike() throws Exception {
    ServedMixture read =
        ServedMixture.decode(
            ServedMixture.of(0.25, 0.75, new double[] {0.1, 0.9}).encode(), CLASSES);
    double[] prediction =
        Experts.of(read, CLASSES, FeatureScaler.empty(CLASSES))
            .mean(SAMPLE, new NetworkPrediction(new double[] {0.6, 0.4}, null));
    assertThat(prediction).containsExactly(new double[] {0.225, 0.775}, within(1e-12));
  }

  @Test
  void changed_otherClasses_sharesWhatANewOneLeaves() throws Exception {
    double[] prior = {0.1, 0.9};
    ServedMixture mixture =
        new ServedMixture(
            List.of(Expert.network(Kind.NETWORK, 0.4), Expert.prior(0.6, prior)),
            List.of(
                Expert.network(Kind.NETWORK, 0.1),
                Expert.network(Kind.MEMBERS_WITHOUT_CONTEXT, 0.2),
                Expert.network(Kind.MEMBERS_IN_CONTEXT, 0.3),
                Expert.prior(0.2, prior),
                Expert.noChange(0.2, new double[] {0.7, 0.8})));
    ServedMixture grown = mixture.changed(new ColumnMap(2, 1, ColumnMap.ADDED, 0));
    ModelSpec three =
        CLASSES_IN_CONTEXT.with(
            CLASSES_IN_CONTEXT
                .schema()
                .with(
                    new SampleSchema.Label(
                        "y", SampleSchema.Task.CLASSIFICATION, List.of("yes", "new", "no"))));
    assertThat(ServedMixture.decode(grown.encode(), three).inContext()).hasSize(5);
    double unseen = UnseenClass.probability(3);
    assertThat(grown.experts().get(1).values())
        .containsExactly(
            new double[] {0.9 * (1 - unseen), unseen, 0.1 * (1 - unseen)}, within(1e-12));
    assertThat(grown.inContext().get(4).repeats()).containsExactly(0.8, 0.5, 0.7);
    assertThat(grown.networkWeight()).isEqualTo(0.4);
    assertThat(grown.changed(new ColumnMap(3, 2, 0)).experts().get(1).values())
        .containsExactly(prior, within(1e-12));
    assertThat(mixture.changed(new ColumnMap(2, 1, 0)).experts().get(1).values())
        .as("in another order")
        .containsExactly(0.9, 0.1);
  }

  @Test
  void encode_mixture_isReadable() {
    assertThat(ServedMixture.of(0.25, 0.75, new double[] {0.5, 0.5}).encode())
        .asString(StandardCharsets.UTF_8)
        .isEqualTo(
            json(
                "{\"kind\":\"network\",\"weight\":0.25},"
                    + "{\"kind\":\"prior\",\"weight\":0.75,\"values\":[0.5,0.5]}"));
  }

  private static ServedMixture inContext(double @Nullable [] repeats, double... prior) {
    return new ServedMixture(
        ServedMixture.of(0.5, 0.5, prior).experts(),
        List.of(
            Expert.network(Kind.NETWORK, 0.125),
            Expert.network(Kind.MEMBERS_WITHOUT_CONTEXT, 0.125),
            Expert.network(Kind.MEMBERS_IN_CONTEXT, 0.25),
            Expert.prior(0.25, prior),
            Expert.noChange(0.25, repeats)));
  }

  @Test
  void encode_mixtureInContext_isReadable() {
    assertThat(inContext(new double[] {0.9, 0.8}, 0.5, 0.5).encode())
        .asString(StandardCharsets.UTF_8)
        .isEqualTo(
            "{\"formatVersion\":2,\"experts\":["
                + "{\"kind\":\"network\",\"weight\":0.5},"
                + "{\"kind\":\"prior\",\"weight\":0.5,\"values\":[0.5,0.5]}],"
                + "\"inContext\":["
                + "{\"kind\":\"network\",\"weight\":0.125},"
                + "{\"kind\":\"members-without-context\",\"weight\":0.125},"
                + "{\"kind\":\"members-in-context\",\"weight\":0.25},"
                + "{\"kind\":\"prior\",\"weight\":0.25,\"values\":[0.5,0.5]},"
                + "{\"kind\":\"no-change\",\"weight\":0.25,\"repeats\":[0.9,0.8]}]}");
  }

  @Test
  void decode_mixtureInContext_isTheEncodedOne() throws Exception {
    byte[] classes = inContext(new double[] {0.9, 0.8}, 0.5, 0.5).encode();
    assertThat(ServedMixture.decode(classes, CLASSES_IN_CONTEXT).encode()).isEqualTo(classes);
    byte[] targets = inContext(null, 4).encode();
    assertThat(ServedMixture.decode(targets, TARGET_IN_CONTEXT).encode()).isEqualTo(targets);
  }

  @Test
  void decode_expertsOfAnotherModel_areRefused() {
    byte[] plain = ServedMixture.of(0.5, 0.5, new double[] {0.5, 0.5}).encode();
    assertThatThrownBy(() -> ServedMixture.decode(plain, CLASSES_IN_CONTEXT))
        .hasMessage("inContext of mixture.json has 0 experts, and the model has 5");
    byte[] inContext = inContext(new double[] {0.9, 0.8}, 0.5, 0.5).encode();
    assertThatThrownBy(() -> ServedMixture.decode(inContext, CLASSES))
        .hasMessage("inContext of mixture.json has 5 experts, and the model has 0");
    for (double[] repeats : new double[][] {{0.9}, {0.9, 1.5}, {0.9, Double.NaN}, null}) {
      byte[] odd = inContext(repeats, 0.5, 0.5).encode();
      assertThatThrownBy(() -> ServedMixture.decode(odd, CLASSES_IN_CONTEXT))
          .isInstanceOf(MalformedModelException.class)
          .hasMessageContaining("mixture.json");
    }
    byte[] repeats = inContext(new double[] {0.9}, 4).encode();
    assertThatThrownBy(() -> ServedMixture.decode(repeats, TARGET_IN_CONTEXT))
        .hasMessage("inContext[4] of mixture.json does not fit the model");
  }

  @Test
  void decode_damaged_saysWhatIsWrong() {
    String network = "{\"kind\":\"network\",\"weight\":0.5}";
    String prior = "{\"kind\":\"prior\",\"weight\":0.5,\"values\":[0.5,0.5]}";
    for (String experts :
        List.of(
            "null," + prior,
            prior + "," + network,
            network + "," + network,
            network + ",{\"kind\":\"prior\",\"weight\":0.5}",
            network + ",{\"kind\":\"prior\",\"weight\":0.5,\"values\":[1]}",
            network + ",{\"kind\":\"prior\",\"weight\":0.5,\"values\":[2,-1]}",
            network + ",{\"kind\":\"prior\",\"weight\":0.5,\"values\":[0.5,0.4]}",
            network + ",{\"kind\":\"prior\",\"weight\":-0.5,\"values\":[0.5,0.5]}")) {
      assertThatThrownBy(() -> read(json(experts), CLASSES))
          .as(experts)
          .isInstanceOf(MalformedModelException.class)
          .hasMessageContaining("of mixture.json does not fit");
    }
    assertThatThrownBy(() -> read(json(network), CLASSES))
        .hasMessage("experts of mixture.json has 1 experts, and the model has 2");
    assertThatThrownBy(
            () -> read(json(network + "," + prior.replace("0.5,\"v", "0.25,\"v")), CLASSES))
        .hasMessage("the weights of experts in mixture.json add up to 0.75, not to 1");
    assertThatThrownBy(() -> read(json("{\"kind\":\"oracle\",\"weight\":1}"), CLASSES))
        .hasMessageContaining("mixture.json cannot be read");
    assertThatThrownBy(() -> read("{\"formatVersion\":1,\"experts\":[]}", CLASSES))
        .hasMessageContaining("not in format 2");
  }

  @Test
  void read_targetFarOutside_isLimitedToUsualOnes() throws Exception {
    List<Sample> seen = List.of(Sample.of(new double[] {1}, 1), Sample.of(new double[] {1}, 3));
    FeatureScaler scaler = FeatureScaler.empty(TARGET).including(seen);
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put(ModelArtifact.SPEC_FILE, ModelSpecJson.encode(TARGET));
    files.put(ModelArtifact.SCALER_FILE, scaler.encode());
    files.put(ModelArtifact.NETWORK_FILE, new byte[0]);
    files.put(
        ModelArtifact.MIXTURE_FILE, ServedMixture.of(0.5, 0.5, new double[] {1e300}).encode());
    ModelFiles read = ModelFiles.read(new ModelArtifact(files), 1 << 20);
    assertThat(read.mixture().added(1)[0]).isEqualTo(scaler.target().usual(1e300) / 2);
  }
}
