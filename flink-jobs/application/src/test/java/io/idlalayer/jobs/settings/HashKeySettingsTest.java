package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class HashKeySettingsTest {
  private static final HashKey KEY = HashKey.parse("5ec2e75ec2e75ec2e75ec2e75ec2e75e");

  @TempDir Path folder;

  private ApplicationSettings settings(String format) throws Exception {
    Path file = folder.resolve(format + ".yaml");
    Files.writeString(
        file,
        """
        name: shop
        input:
          format: %s
          features: [price]
          ids: [user]
          label: sold
          id: event
          classes: ["0", "1"]
        model: {type: mlp, hidden: [4]}
        embeddings: {dim: 4}
        """
            .formatted(format));
    return ApplicationFileReader.read(file, Map.<String, String>of()::get);
  }

  private static HashKey keyOf(SampleSchema schema) {
    return schema.ids().get(0).index().key();
  }

  @Test
  void with_aKey_isInSchemaModelAndState() throws Exception {
    ApplicationSettings plain = settings("json");
    ApplicationSettings keyed = plain.with(KEY);
    assertThat(keyOf(plain.input().schema())).isEqualTo(HashKey.NONE);
    assertThat(keyOf(keyed.input().schema())).isEqualTo(KEY);
    assertThat(keyed.data().hashKey()).isEqualTo(KEY);
    byte[] published = ModelSpecJson.encode(keyed.model());
    assertThat(ModelSpecJson.decode(published)).isEqualTo(keyed.model());
    assertThat(keyOf(ModelSpecJson.decode(published).schema())).isEqualTo(KEY);
  }

  @Test
  void identity_ofAnotherKey_differsAndDoesNotTellIt() throws Exception {
    SettingsIdentity identity = SettingsIdentity.of(settings("json").with(KEY));
    HashKey other = new HashKey(KEY.low(), KEY.high() + 1);
    assertThat(identity.differences(SettingsIdentity.of(settings("json").with(KEY)))).isEmpty();
    assertThat(identity.differences(SettingsIdentity.of(settings("json").with(other))))
        .hasSize(2)
        .anyMatch(each -> each.contains("input.id-key"))
        .anyMatch(each -> each.contains("embeddings.tables"));
    assertThat(SettingsIdentity.of(settings("binary").with(KEY)).json()).contains("input.id-key");
    assertThat(identity.json()).doesNotContain(KEY.text());
    assertThat(SettingsIdentity.ADVICE).contains("the file id-key of the work directory");
  }

  /** Their producer has made the keys of the rows, without a secret. */
  @Test
  void with_binaryEvents_keepsTheKeysOfRows() throws Exception {
    ApplicationSettings keyed = settings("binary").with(KEY);
    assertThat(keyOf(keyed.input().schema())).isEqualTo(HashKey.NONE);
    assertThat(keyOf(keyed.model().schema())).isEqualTo(HashKey.NONE);
    assertThat(keyed.data().hashKey()).isEqualTo(KEY);
  }
}
