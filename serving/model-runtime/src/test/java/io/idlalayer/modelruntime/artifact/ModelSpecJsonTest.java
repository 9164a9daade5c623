package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelruntime.artifact.ModelSpec.Network;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ModelSpecJsonTest {
  private static final ModelSpec.Embeddings TABLES =
      new ModelSpec.Embeddings(
          List.of(new ModelSpec.Table("user", 8), new ModelSpec.Table("items", 8)),
          List.of(
              new ModelSpec.Use(0, IdPooling.MEAN),
              new ModelSpec.Use(1, IdPooling.MEAN),
              new ModelSpec.Use(1, IdPooling.SUM)),
          new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.05, 0.01));

  private static ModelSpec spec(Network network) {
    return new ModelSpec(
        new SampleSchema(
            List.of(),
            List.of(DenseFeature.of("a")),
            List.of(new CategoricalFeature("c", 4)),
            List.of(
                new IdFeature("user", 1),
                new IdFeature("item", 1, RowIndex.hash(1_000)),
                new IdFeature("basket", 50, RowIndex.hash(1_000))),
            new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
            null),
        network,
        new ModelSpec.Fit(
            32, 2, ModelSpec.Updater.ADAM, 0.001, 0, ModelSpec.Fit.DEFAULT_TIME_LIMIT_SECONDS),
        true,
        TABLES);
  }

  @Test
  void decode_encodedHistory_isTheSameWithItsSecretIfThereIsOne() throws Exception {
    ModelSpec plain = spec(new Network.Mlp(List.of(8)));
    SampleSchema numbers =
        new SampleSchema(List.of(), plain.schema().dense(), List.of(), plain.schema().label(), null)
            .with(new SampleSchema.History("user", 1, true, 10));
    ModelSpec open = new ModelSpec(numbers, plain.network(), plain.fit(), true);
    ModelSpec secret =
        new ModelSpec(numbers.with(new HashKey(3, 4)), plain.network(), plain.fit(), true);
    assertThat(ModelSpecJson.decode(ModelSpecJson.encode(open))).isEqualTo(open);
    assertThat(new String(ModelSpecJson.encode(open), StandardCharsets.UTF_8))
        .contains("\"history\":{\"key\":\"user\",\"labels\":1,\"changes\":true,\"keys\":10}");
    assertThat(ModelSpecJson.decode(ModelSpecJson.encode(secret))).isEqualTo(secret);
    assertThat(new String(ModelSpecJson.encode(secret), StandardCharsets.UTF_8))
        .contains("\"keys\":10,\"secret\":{\"low\":3,\"high\":4}}");
  }

  @Test
  void decode_encodedSpecWithTables_isTheSame() throws Exception {
    List<Network> networks =
        List.of(
            new Network.Dlrm(List.of(64), List.of(64, 32)),
            new Network.WideAndDeep(List.of(8)),
            new Network.Mlp(List.of(8, 4)));
    for (Network network : networks) {
      ModelSpec spec = spec(network);
      assertThat(ModelSpecJson.decode(ModelSpecJson.encode(spec))).isEqualTo(spec);
    }
  }

  @Test
  void decode_encodedSpecWithoutTables_isTheSame() throws Exception {
    ModelSpec tables = spec(new Network.Mlp(List.of(8)));
    SampleSchema schema = tables.schema();
    ModelSpec spec =
        new ModelSpec(
            new SampleSchema(
                schema.columns(), schema.dense(), schema.categorical(), schema.label(), "id"),
            tables.network(),
            tables.fit(),
            false);
    assertThat(ModelSpecJson.decode(ModelSpecJson.encode(spec))).isEqualTo(spec);
  }

  @Test
  void decode_members_areBoundedAndExcludeTables() throws Exception {
    ModelSpec tables = spec(new Network.Mlp(List.of(8)));
    SampleSchema schema = tables.schema();
    SampleSchema numbers =
        new SampleSchema(List.of(), schema.dense(), schema.categorical(), schema.label(), null);
    for (int members : new int[] {1, 4, 16}) {
      ModelSpec spec =
          new ModelSpec(numbers, new Network.Mlp(List.of(8), members), tables.fit(), true);
      assertThat(ModelSpecJson.decode(ModelSpecJson.encode(spec))).isEqualTo(spec);
    }
    for (int members : new int[] {-1, 0, 17}) {
      byte[] file =
          ModelSpecJson.encode(
              new ModelSpec(numbers, new Network.Mlp(List.of(8), members), tables.fit(), true));
      assertThatThrownBy(() -> ModelSpecJson.decode(file))
          .isInstanceOf(MalformedModelException.class)
          .hasMessageContaining(members + " members");
    }
    byte[] both = ModelSpecJson.encode(spec(new Network.Mlp(List.of(8), 2)));
    assertThatThrownBy(() -> ModelSpecJson.decode(both))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("2 members and tables");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '~',
      value = {
        "{\"table\":0,\"pooling\":\"MEAN\"},; ; names tables for 2 id features",
        "\"table\":0; \"table\":2; has 2 tables, and a use of them is invalid",
        "\"table\":0; \"table\":-1; a use of them is invalid",
        "\"pooling\":\"SUM\"; \"pooling\":null; a use of them is invalid",
        "\"pooling\":\"SUM\"; \"pooling\":\"MAX\"; cannot be read",
        "\"dim\":8; \"dim\":0; has an invalid table",
        "\"dim\":8; \"dim\":null; cannot be read",
        "\"name\":\"items\"; \"name\":\"user\"; has an invalid table",
        "\"name\":\"items\"; \"name\":null; has an invalid table",
        "\"mostIds\":50; \"mostIds\":0; has an invalid id feature",
        "\"rows\":1000; \"rows\":999; whose index differs from that of another one of its table",
        "\"HASH\"; \"NUMBER\"; whose index differs from that of another one of its table",
        "\"rows\":1000; \"rows\":0; cannot be read",
        "\"HASH\"; \"SUM\"; cannot be read",
        "\"HASH\"; null; cannot be read",
        "{\"kind\":\"HASH\",\"rows\":1000,\"key\":{\"low\":0,\"high\":0}}; null; has an invalid id feature",
        "{\"low\":0,\"high\":0}; null; cannot be read",
        "\"buckets\":4; \"buckets\":0; has an invalid feature",
        "\"buckets\":4; \"buckets\":2147483647; has 2147483672 columns",
        "\"width\":1; \"width\":0; has an invalid feature",
        "\"dim\":8; \"dim\":2147483647; columns",
        "\"learningRate\":0.05; \"learningRate\":0.0; how rows are trained",
        "\"ADAGRAD\"; null; how rows are trained"
      })
  void decode_featuresAndTablesThatAreNone_areRefused(String from, String to, String reason) {
    String json =
        new String(ModelSpecJson.encode(spec(new Network.Mlp(List.of(8)))), StandardCharsets.UTF_8);
    assertThat(json).contains(from);
    int at = json.lastIndexOf(from);
    String changed =
        json.substring(0, at) + (to == null ? "" : to) + json.substring(at + from.length());
    assertThatThrownBy(() -> ModelSpecJson.decode(changed.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining(reason.strip());
  }
}
