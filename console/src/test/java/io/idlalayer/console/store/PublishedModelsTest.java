package io.idlalayer.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class PublishedModelsTest {
  @TempDir Path folder;
  private ModelStore store;
  private ModelPublisher publisher;

  @BeforeEach
  void open() throws IOException {
    store = new ModelStore(folder, InstantSource.system());
    publisher = store.claim("clicks", 0);
  }

  private ModelCheckpoint publish(long parent) throws IOException {
    String digest = parent == 0 ? "" : store.read("clicks", 0, parent).digest();
    return publisher.publish(
        new ModelDraft(
            "clicks",
            0,
            1,
            parent,
            digest,
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(Map.of("rule", "dla")),
            new TreeMap<>(Map.of("model.zip", new byte[] {1, 2, 3}))));
  }

  private PublishedModels read() throws IOException {
    return PublishedModels.read(store, "clicks", 0);
  }

  @Test
  void branchesThatTheCurrentVersionDoesNotDescendFrom_areAbandoned() throws IOException {
    publish(0);
    publish(1);
    publish(2);
    publish(1);
    PublishedModels models = read();
    assertThat(models.current()).isEqualTo(4);
    assertThat(models.serving()).isEqualTo(4);
    assertThat(models.problem()).isEmpty();
    assertThat(models.versions())
        .extracting(PublishedModels.Version::version)
        .containsExactly(4L, 3L, 2L, 1L);
    assertThat(models.versions())
        .extracting(PublishedModels.Version::abandoned)
        .containsExactly(false, true, true, false);
    PublishedModels.Version newest = models.versions().get(0);
    assertThat(newest.parent()).isEqualTo(1);
    assertThat(newest.bytes()).isEqualTo(3);
    assertThat(newest.attributes()).containsEntry("rule", "dla");
    assertThat(newest.digest()).isEqualTo(store.read("clicks", 0, 4).digest());
  }

  @Test
  void aPin_saysWhatServes() throws IOException {
    publish(0);
    publish(1);
    store.pin(store.read("clicks", 0, 1), 0, "better");
    PublishedModels models = read();
    assertThat(models.current()).isEqualTo(2);
    assertThat(models.serving()).isEqualTo(1);
    assertThat(models.pin().reason()).isEqualTo("better");
  }

  @Test
  void aPinThatHasEnded_isNone() throws IOException {
    publish(0);
    publish(1);
    store.pin(store.read("clicks", 0, 1), 2, "until something newer comes");
    assertThat(read().serving()).isEqualTo(1);
    publish(2);
    assertThat(read().serving()).isEqualTo(3);
    assertThat(read().pin()).isNull();
  }

  @Test
  void whatIsDamaged_isAProblemAndTheRestIsShown() throws IOException {
    publish(0);
    publish(1);
    Files.write(folder.resolve("clicks/0/pin.json"), "{".getBytes(StandardCharsets.UTF_8));
    PublishedModels models = read();
    assertThat(models.problem()).contains("pin.json");
    assertThat(models.current()).isEqualTo(2);
    assertThat(models.versions()).hasSize(2);
  }

  @Test
  void nothingPublished_isAnEmptyList() throws IOException {
    PublishedModels models = PublishedModels.read(store, "views", 0);
    assertThat(models.versions()).isEmpty();
    assertThat(models.current()).isZero();
    assertThat(models.pin()).isNull();
  }
}
