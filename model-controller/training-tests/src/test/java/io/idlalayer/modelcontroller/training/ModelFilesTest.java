package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.modelloader.network.ArrayNetwork;
import io.idlalayer.modelloader.network.GraphNetwork;
import io.idlalayer.modelloader.network.NetworkFactory;
import io.idlalayer.modelloader.network.SameDiffNetwork;
import io.idlalayer.modelloader.network.StackedNetwork;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.ModelNetwork;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.input.NetworkInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.ndarray.INDArray;

final class ModelFilesTest {
  private static byte[] fixture(String name) throws IOException {
    try (InputStream in = ModelFilesTest.class.getResourceAsStream(name)) {
      assertThat(in).as(name).isNotNull();
      return in.readAllBytes();
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void decode_everyKindOfNetwork_equalsTheEncodedOne() throws Exception {
    for (ModelSpec.Network network :
        List.of(
            new ModelSpec.Network.Mlp(List.of(64, 32)),
            new ModelSpec.Network.Mlp(List.of(32), 4),
            new ModelSpec.Network.Cnn(28, 28, 1, List.of(8, 16), 64),
            new ModelSpec.Network.Dl4jJson("{\"confs\": []}"))) {
      SampleSchema schema =
          new SampleSchema(
              List.of("a", "at"),
              List.of(new DenseFeature("a", 3, 0.5f)),
              Trainings.categories(9).categorical(),
              Trainings.target(1).label(),
              "id");
      ModelSpec spec = new ModelSpec(schema, network, Trainings.ADAM, false);
      assertThat(ModelSpecJson.decode(ModelSpecJson.encode(spec))).isEqualTo(spec);
    }
  }

  @Test
  void decode_specificationOfFormat2_isRead() throws Exception {
    assertThat(ModelSpecJson.decode(fixture("spec-2.json")))
        .isEqualTo(Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM));
  }

  @Tag("natives")
  @Test
  void decode_networkOfFormat1_isReadAndWrittenUnchanged() throws Exception {
    ModelSpec spec = ModelSpecJson.decode(fixture("spec-2.json"));
    assertSameAgain(spec, "model-1.zip", StackedNetwork.class);
    assertSameAgain(spec, "graph-1.zip", GraphNetwork.class);
    ModelSpec.Network graph =
        new ModelSpec.Network.SameDiffGraph(fixture("samediff-1.fb"), "in", "logits");
    assertSameAgain(
        new ModelSpec(spec.schema(), graph, spec.fit(), true),
        "samediff-1.zip",
        SameDiffNetwork.class);
  }

  private static void assertSameAgain(ModelSpec spec, String name, Class<?> kind)
      throws IOException {
    byte[] zip = fixture(name);
    try (ModelNetwork network = NetworkFactory.decode(spec, zip)) {
      assertThat(network).isInstanceOf(kind);
      assertThat(network.encode()).as(name).isEqualTo(zip);
    }
  }

  @Test
  void decode_otherFormat_isRefused() {
    assertThatThrownBy(() -> ModelSpecJson.decode(utf8("{\"formatVersion\":1,\"spec\":null}")))
        .isInstanceOf(IOException.class);
    byte[] scaler = FeatureScaler.empty(1, true, false).encode();
    String text = new String(scaler, StandardCharsets.UTF_8);
    assertThatThrownBy(
            () ->
                FeatureScaler.decode(
                    utf8(text.replace("\"formatVersion\":4", "\"formatVersion\":1"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("format 4");
    assertThatThrownBy(
            () -> FeatureScaler.decode(utf8(text.replace("\"denseWidth\":1", "\"denseWidth\":2"))))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("a column for each feature");
  }

  @Test
  void scaler_constantColumn_isOnlyShifted() throws Exception {
    FeatureScaler scaler =
        FeatureScaler.empty(1, true, false)
            .including(List.of(Sample.of(new double[] {5}, 1), Sample.of(new double[] {5}, 0)));
    assertThat(scaler.dense(0, 5)).isZero();
    assertThat(scaler.dense(0, 7)).isEqualTo(2);
    assertThat(scaler.target().scaled(1)).isEqualTo(1);
  }

  @Test
  void scaler_off_changesNothing() throws Exception {
    FeatureScaler scaler =
        FeatureScaler.empty(1, false, true).including(List.of(Sample.of(new double[] {5}, 9)));
    assertThat(scaler.dense(0, 5)).isEqualTo(5);
    assertThat(scaler.target().scaled(9)).isEqualTo(9);
  }

  @Tag("natives")
  @Test
  void encode_zip_isReadByDeeplearning4j() throws Exception {
    ModelSpec spec = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
    try (Trainer trainer = Trainings.dl4j(spec)) {
      TrainingResult result =
          trainer.train(
              new TrainingRequest(null, Trainings.batch(1, Trainings.separable(64, 1)), 3));
      byte[] zip = result.model().files().get(ModelArtifact.NETWORK_FILE);
      List<Sample> samples = Trainings.separable(5, 2);
      try (Dl4jModel model = Dl4jModel.load(result.model());
          Trainings.Stacked theirs = Trainings.stacked(zip);
          INDArray features =
              ArrayNetwork.array(
                  new NetworkInput(spec)
                      .features(
                          samples,
                          FeatureScaler.decode(
                              result.model().files().get(ModelArtifact.SCALER_FILE)),
                          IdVectors.NONE),
                  samples.size())) {
        assertThat(model.predict(samples))
            .isEqualTo(theirs.network().output(features).toDoubleMatrix());
      }
      // Reading and writing again changes no byte, the updater state included.
      assertThat(NetworkFactory.decode(spec, zip).encode()).isEqualTo(zip);
    }
  }

  @Tag("natives")
  @Test
  void predict_manySamples_equalsOneByOne() throws Exception {
    ModelSpec spec = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
    List<Sample> many = Trainings.separable(2_500, 8);
    try (Trainer trainer = Trainings.dl4j(spec)) {
      ModelArtifact artifact =
          trainer.train(new TrainingRequest(null, Trainings.batch(1, many), 3)).model();
      try (Dl4jModel model = Dl4jModel.load(artifact)) {
        double[][] together = model.predict(many);
        for (int i : new int[] {0, 1023, 1024, 2047, 2048, 2499}) {
          double[] alone = model.predict(many.subList(i, i + 1))[0];
          assertThat(alone[0])
              .isCloseTo(together[i][0], org.assertj.core.api.Assertions.within(1e-5));
          assertThat(alone[0] + alone[1])
              .isCloseTo(1, org.assertj.core.api.Assertions.within(1e-5));
        }
      }
    }
  }
}
