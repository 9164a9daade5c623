package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.serve.ReferenceMean;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class ServedMixtureTest {
  private static final ModelSpec CLASSES =
      spec(new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("no", "yes")));
  private static final ModelSpec TARGET =
      spec(new SampleSchema.Label("y", SampleSchema.Task.REGRESSION, List.of()));

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
    return "{\"formatVersion\":1,\"experts\":[" + experts + "]}";
  }

  @Test
  void decode_whatWasEncoded_predictsAlike() throws Exception {
    ServedMixture read =
        ServedMixture.decode(
            ServedMixture.of(0.25, 0.75, new double[] {0.1, 0.9}).encode(), CLASSES);
    double[] prediction = {0.6, 0.4};
    ReferenceMean.of(read, CLASSES).apply(prediction);
    assertThat(prediction).containsExactly(new double[] {0.225, 0.775}, within(1e-12));
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

  @Test
  void decode_damaged_saysWhatIsWrong() {
    String network = "{\"kind\":\"network\",\"weight\":0.5}";
    for (String experts :
        List.of(
            "null",
            "{\"kind\":\"prior\",\"weight\":1,\"values\":[0.5,0.5]}",
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
        .hasMessageContaining("add up to 0.5 instead of 1");
    assertThatThrownBy(() -> read(json("{\"kind\":\"oracle\",\"weight\":1}"), CLASSES))
        .hasMessageContaining("mixture.json cannot be read");
    assertThatThrownBy(() -> read("{\"formatVersion\":2,\"experts\":[]}", CLASSES))
        .hasMessageContaining("not in format 1");
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
