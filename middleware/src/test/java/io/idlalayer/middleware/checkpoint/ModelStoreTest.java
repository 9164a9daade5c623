package io.idlalayer.middleware.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelStoreTest {
  @TempDir Path root;
  private ModelStore store;

  @BeforeEach
  void open() {
    store = new ModelStore(root, InstantSource.system());
  }

  @Test
  void whatIsPublishedIsReadBack() throws IOException {
    assertThat(store.current("app", 0)).isEmpty();
    ModelCheckpoint first = store.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = store.publish(Drafts.of(2, "two"));
    assertThat(first.manifest().version()).isEqualTo(1);
    assertThat(second.manifest().version()).isEqualTo(2);
    ModelCheckpoint current = store.current("app", 0).orElseThrow();
    assertThat(current).isEqualTo(second);
    assertThat(Drafts.text(store.load(current))).isEqualTo("two");
    assertThat(store.list("app", 0)).containsExactly(first, second);
    assertThat(store.applications()).containsEntry("app", List.of(0));
    assertThat(store.problems("app", 0)).isEmpty();
  }

  @Test
  void versionsOnlyGrowAlsoWhenFoldersAreGoneOrAskedForLess() throws IOException {
    store.publish(Drafts.of(7, "seven"));
    assertThat(store.publish(Drafts.of(3, "x")).manifest().version()).isEqualTo(8);
    for (ModelCheckpoint each : store.list("app", 0)) {
      delete(each.directory());
    }
    assertThat(store.publish(Drafts.of(1, "y")).manifest().version()).isEqualTo(9);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void retentionKeepsTheNewestTheCurrentAndThePinned() throws IOException {
    for (int i = 1; i <= 6; i++) {
      store.publish(Drafts.of(i, "v" + i));
    }
    store.retain("app", 0, 2, Set.of(3L));
    assertThat(store.list("app", 0).stream().map(it -> it.manifest().version()))
        .containsExactly(3L, 5L, 6L);
  }

  private interface Damage {
    void to(Path version) throws IOException;
  }

  private void assertRefused(Damage damage, String reason) throws IOException {
    ModelCheckpoint published = store.publish(Drafts.of(1, "content of the model"));
    damage.to(published.directory());
    assertThatThrownBy(() -> store.load(store.current("app", 0).orElseThrow()))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void everyDamageIsRefused() throws IOException {
    assertRefused(
        version -> Files.writeString(version.resolve("model.zip"), "content of the mOdel"),
        "SHA-256");
    assertRefused(
        version -> Files.writeString(version.resolve("model.zip"), "short"), "has 5 bytes");
    assertRefused(version -> Files.delete(version.resolve("spec.json")), "spec.json is missing");
    assertRefused(
        version -> Files.writeString(version.resolve("more"), "x"), "not in its manifest");
    assertRefused(version -> Files.delete(version.resolve("manifest.json")), "is not there");
    assertRefused(
        version -> {
          Path manifest = version.resolve("manifest.json");
          Files.writeString(
              manifest,
              Files.readString(manifest).replace("\"partition\" : 0", "\"partition\" :  0"));
        },
        "whose manifest has");
    assertRefused(
        version -> Files.writeString(version.resolve("manifest.json"), "{"), "cannot be read");
  }

  @Test
  void everyFlippedByteOfTheManifestIsRefused() throws IOException {
    ModelCheckpoint published = store.publish(Drafts.of(1, "x"));
    Path manifest = published.file("manifest.json");
    byte[] good = Files.readAllBytes(manifest);
    for (int i = 0; i < good.length; i += 3) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(manifest, bad);
      assertThatThrownBy(() -> store.current("app", 0)).isInstanceOf(CorruptModelException.class);
    }
  }

  @Test
  void aDamagedPointerIsRefused() throws IOException {
    store.publish(Drafts.of(1, "x"));
    Path pointer = root.resolve("app/0/current.json");
    for (String garbage : List.of("", "{}", "[]", "{\"formatVersion\":1,\"version\":1}", "null")) {
      Files.writeString(pointer, garbage);
      assertThatThrownBy(() -> store.current("app", 0))
          .as(garbage)
          .isInstanceOf(CorruptModelException.class);
    }
    Files.writeString(pointer, "{\"formatVersion\":1,\"version\":99,\"digest\":\"00\"}");
    assertThatThrownBy(() -> store.current("app", 0)).hasMessageContaining("version 99");
  }

  @Test
  void aCrashAtAnyStepLeavesTheOldOrTheNewVersionWhole() throws IOException {
    int crashes = 0;
    for (FaultyFileOperations.Fate fate : FaultyFileOperations.Fate.values()) {
      boolean died = true;
      for (int step = 0; died; step++) {
        Path folder = root.resolve(fate + "-" + step);
        new ModelStore(folder, InstantSource.system()).publish(Drafts.of(1, "old"));
        FaultyFileOperations faulty = new FaultyFileOperations(step, fate);
        try {
          new ModelStore(folder, InstantSource.system(), faulty).publish(Drafts.of(2, "new"));
        } catch (IOException crash) {
          assertThat(crash).hasMessageContaining("No space left");
          crashes++;
        }
        died = faulty.died();
        assertWholeAfter(folder);
      }
    }
    assertThat(crashes).isGreaterThan(20);
  }

  private static void assertWholeAfter(Path folder) throws IOException {
    ModelStore after = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint current = after.current("app", 0).orElseThrow();
    assertThat(Drafts.text(after.load(current))).isIn("old", "new");
    ModelCheckpoint next = after.publish(Drafts.of(1, "next"));
    assertThat(next.manifest().version()).isGreaterThan(current.manifest().version());
    assertThat(Drafts.text(after.load(after.current("app", 0).orElseThrow()))).isEqualTo("next");
    try (Stream<Path> left = Files.list(folder.resolve("app/0"))) {
      assertThat(left.map(it -> String.valueOf(it.getFileName())))
          .noneMatch(name -> name.startsWith("."));
    }
  }

  @Test
  void aReaderNeverSeesATornVersionWhileOthersArePublishedAndDeleted() throws Exception {
    store.publish(Drafts.of(1, "content-1"));
    AtomicBoolean done = new AtomicBoolean();
    Thread publisher =
        new Thread(
            () -> {
              try {
                for (int i = 2; i <= 150; i++) {
                  store.publish(Drafts.of(i, "content-" + i));
                  store.retain("app", 0, 2, Set.of());
                }
              } catch (IOException failed) {
                throw new java.io.UncheckedIOException(failed);
              } finally {
                done.set(true);
              }
            });
    publisher.start();
    long last = 0;
    int seen = 0;
    while (!done.get()) {
      ModelCheckpoint current = store.current("app", 0).orElseThrow();
      try {
        assertThat(Drafts.text(store.load(current)))
            .isEqualTo("content-" + current.manifest().version());
        seen++;
      } catch (CorruptModelException gone) {
        // Deleted under us: two newer ones exist, so the pointer must have moved on.
        assertThat(store.current("app", 0).orElseThrow().manifest().version())
            .isGreaterThan(current.manifest().version());
      }
      assertThat(current.manifest().version()).isGreaterThanOrEqualTo(last);
      last = current.manifest().version();
    }
    publisher.join();
    assertThat(seen).isPositive();
  }

  @Test
  void namesCannotLeaveTheFolder() {
    assertThatThrownBy(() -> store.current("../other", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.current("", 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
