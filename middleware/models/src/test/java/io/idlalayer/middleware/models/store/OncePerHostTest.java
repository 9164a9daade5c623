package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.storage.cache.CachedSource;
import io.idlalayer.middleware.models.storage.cache.VersionCache;
import io.idlalayer.middleware.models.storage.cache.VersionCacheSettings;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Several processes of a host that follow models in an object store. */
final class OncePerHostTest {
  private static final int PROCESSES = 8;

  @TempDir Path objects;
  @TempDir Path elsewhere;
  private final Map<String, Integer> opened = new ConcurrentHashMap<>();

  private ModelStore store(Path folder) {
    return new ModelStore(
        new DelegatingBucket(new FolderBucket(folder)) {
          @Override
          public InputStream open(String key, long from) throws IOException {
            opened.merge(key, 1, Integer::sum);
            return super.open(key, from);
          }
        },
        InstantSource.system(),
        PublisherIdentity.ofThisProcess());
  }

  private ModelReader cached(ModelStore store) {
    return new ModelReader(
        new CachedSource(
            store.source(),
            new VersionCache(
                VersionCacheSettings.of(elsewhere.resolve("cache")), InstantSource.system())));
  }

  private ModelCheckpoint publish(
      ModelPublisher publisher, @org.jspecify.annotations.Nullable ModelCheckpoint parent)
      throws IOException {
    String kind = parent == null ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES;
    Path rows = Files.writeString(elsewhere.resolve("rows"), "rows of " + kind);
    return publisher.publish(Drafts.withRows(parent, kind, rows));
  }

  private static void readAll(ModelReader reader) throws IOException {
    ModelCheckpoint current = reader.current("app", 0).orElseThrow();
    reader.load(current);
    for (ModelCheckpoint link : reader.chain(current)) {
      try (InputStream in = reader.open(link)) {
        in.transferTo(OutputStream.nullOutputStream());
      }
    }
  }

  @Test
  void versions_withRowsAndChanges_areReadOnceFromTheStore() throws IOException {
    try (ModelStore store = store(objects)) {
      ModelPublisher publisher = store.claim("app", 0);
      ModelCheckpoint first = publish(publisher, null);
      List<ModelReader> processes = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(cached(store));
      }
      opened.clear();
      for (ModelReader each : processes) {
        readAll(each);
      }
      publish(publisher, first);
      for (ModelReader each : processes) {
        readAll(each);
      }
      assertThat(opened).hasSize(4).allSatisfy((key, count) -> assertThat(count).isEqualTo(1));
      assertThat(opened)
          .containsOnlyKeys(
              "app/0/v0000000001/model.zip",
              "app/0/v0000000001/rows.bin",
              "app/0/v0000000002/model.zip",
              "app/0/v0000000002/rows.bin");
    }
  }

  @Test
  void versions_ofAnotherStore_shareTheFilesThatAreEqual() throws IOException {
    Path other = Files.createDirectory(elsewhere.resolve("other"));
    try (ModelStore store = store(objects);
        ModelStore second = store(other)) {
      publish(store.claim("app", 0), null);
      publish(second.claim("app", 0), null);
      opened.clear();
      readAll(cached(store));
      readAll(cached(second));
      assertThat(opened)
          .containsOnlyKeys("app/0/v0000000001/model.zip", "app/0/v0000000001/rows.bin")
          .allSatisfy((key, count) -> assertThat(count).isEqualTo(1));
    }
  }

  @Test
  void versions_deletedFromTheStore_areNotServedFromTheFolder() throws IOException {
    try (ModelStore store = store(objects)) {
      ModelCheckpoint first = publish(store.claim("app", 0), null);
      ModelReader reader = cached(store);
      readAll(reader);
      Files.delete(new FolderBucket(objects).file(first.file("model.zip")));
      org.assertj.core.api.Assertions.assertThatThrownBy(() -> readAll(cached(store)))
          .hasMessageContaining("model.zip is missing");
    }
  }
}
