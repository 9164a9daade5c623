package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.middleware.embedding.file.RowFile;
import io.idlalayer.middleware.embedding.plan.EmbeddingPlan;
import io.idlalayer.middleware.embedding.plan.RowLayout;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The commands on versions that have rows. */
final class ModelsRowsTest {
  private static final EmbeddingPlan.Table TABLE =
      new EmbeddingPlan.Table("users", 1, new RowLayout(1, RowUpdater.SGD));

  @TempDir Path models;
  @TempDir Path elsewhere;
  private final IdlaRun idla = new IdlaRun();
  private ModelPublisher publisher;
  private ModelCheckpoint first;

  /** A row for each id; null for one that was deleted. */
  private static byte[] rows(RowFile.Kind kind, Map<Long, @Nullable Float> weights)
      throws IOException {
    TreeMap<Long, Long> byRowKey = new TreeMap<>(Long::compareUnsigned);
    weights.keySet().forEach(id -> byRowKey.put(TABLE.rowKey(id), id));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RowFile.Writer writer = new RowFile.Writer(bytes, kind, 1);
    writer.table(new RowFile.Table("users", 1, 1));
    for (long id : byRowKey.values()) {
      Float weight = weights.get(id);
      if (weight == null) {
        writer.deleted(id);
      } else {
        writer.row(id, new float[] {weight}, 0);
      }
    }
    writer.end();
    writer.flush();
    return bytes.toByteArray();
  }

  private ModelCheckpoint publish(@Nullable ModelCheckpoint parent, String kind, byte[] rows)
      throws IOException {
    return publisher.publish(
        new ModelDraft(
            "app",
            0,
            1,
            parent == null ? 0 : parent.manifest().version(),
            parent == null ? "" : parent.digest(),
            new TreeMap<>(),
            new TreeMap<>(Map.of("rowsChanged", 2L)),
            new TreeMap<>(),
            new TreeMap<>(Map.of(ModelManifest.ROWS, kind)),
            new TreeMap<>(Map.of("model.zip", new byte[] {1}, ModelManifest.ROWS_FILE, rows))));
  }

  @BeforeEach
  void publish() throws IOException {
    publisher = new ModelStore(models, InstantSource.system()).claim("app", 0);
    first =
        publish(
            null, ModelManifest.FULL_ROWS, rows(RowFile.Kind.FULL, Map.of(2L, 1f, 3L, 2f, 4L, 3f)));
    TreeMap<Long, @Nullable Float> changes = new TreeMap<>(Map.of(3L, 9f, 5L, 7f));
    changes.put(4L, null);
    publish(first, ModelManifest.ROW_CHANGES, rows(RowFile.Kind.DELTA, changes));
  }

  @Test
  void list_versionsWithRows_saysWhichRowsTheyHave() {
    assertThat(idla.run("models list --models-dir", models)).isZero();
    assertThat(idla.out()).contains(", all rows in ", ", 2 changed rows in ");
  }

  @Test
  void pull_versionWithChanges_hasAllRows() throws Exception {
    Path target = elsewhere.resolve("pulled");
    assertThat(idla.run("models pull app", target, "--models-dir", models)).isZero();
    byte[] pulled = Files.readAllBytes(target.resolve(ModelManifest.ROWS_FILE));
    assertThat(pulled).isEqualTo(rows(RowFile.Kind.FULL, Map.of(2L, 1f, 3L, 9f, 5L, 7f)));
    assertThat(new RowFile.Reader(new ByteArrayInputStream(pulled)).kind())
        .isEqualTo(RowFile.Kind.FULL);
    JsonNode manifest = new ObjectMapper().readTree(target.resolve("manifest.json").toFile());
    assertThat(manifest.path("attributes").path("rows").asText()).isEqualTo("full");
    String sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(pulled));
    assertThat(manifest.path("files").toString()).contains(sha256);
    assertThat(Objects.requireNonNull(target.toFile().list()))
        .containsExactlyInAnyOrder("manifest.json", "model.zip", "rows.bin");
  }

  private void damageRows() throws IOException {
    Path rows = Path.of(first.file(ModelManifest.ROWS_FILE));
    byte[] bytes = Files.readAllBytes(rows);
    bytes[bytes.length - 1] ^= 1;
    Files.write(rows, bytes);
  }

  @Test
  void pull_damagedRows_leavesNothing() throws IOException {
    damageRows();
    Path target = elsewhere.resolve("pulled");
    assertThat(idla.run("models pull app", target, "--models-dir", models)).isNotZero();
    assertThat(idla.err()).contains("SHA-256");
    assertThat(Objects.requireNonNull(elsewhere.toFile().list())).isEmpty();
  }

  @Test
  void pull_besideFilesOfAnotherPull_hasThoseOfItsVersionOnly() throws IOException {
    // As a pull of another version leaves them, if its process ends in the middle.
    Path other = Files.createDirectory(elsewhere.resolve(".pulled.pulling"));
    Files.write(other.resolve("mixture.json"), new byte[] {1});
    Path target = elsewhere.resolve("pulled");
    assertThat(idla.run("models pull app", target, "--models-dir", models)).isZero();
    assertThat(Objects.requireNonNull(target.toFile().list()))
        .containsExactlyInAnyOrder("manifest.json", "model.zip", "rows.bin");
  }

  @Test
  void show_neededFileDamaged_fails() throws IOException {
    assertThat(idla.run("models show app --models-dir", models)).isZero();
    damageRows();
    assertThat(idla.run("models show app --models-dir", models)).isNotZero();
    assertThat(idla.err()).contains("SHA-256");
    assertThat(idla.run("models list --models-dir", models)).isNotZero();
  }
}
