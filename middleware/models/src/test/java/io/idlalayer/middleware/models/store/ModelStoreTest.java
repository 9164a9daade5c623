package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.folder.FileOperations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** In a folder. */
final class ModelStoreTest extends ModelPublisherContract {
  private final FakeFileOperations disk = new FakeFileOperations();

  @Override
  protected ModelStore open(Path folder, String run) {
    return new ModelStore(folder, InstantSource.system(), new PublisherIdentity(run, "here"), disk);
  }

  @Override
  protected Path file(Path folder, String location) {
    return Path.of(location);
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return Drafts.pointer(folder.resolve("app/0"), publisher);
  }

  @Override
  protected boolean isClash(IOException failed) {
    return String.valueOf(failed).contains("appeared")
        || failed instanceof java.nio.file.FileSystemException;
  }

  @Test
  void cleanUp_aVersionIsPinnedWhileItIsRenamed_comesBack() throws IOException {
    FakeFileOperations files = new FakeFileOperations();
    ModelStore store =
        new ModelStore(root, InstantSource.system(), PublisherIdentity.ofThisProcess(), files);
    ModelStore other = new ModelStore(root, InstantSource.system());
    ModelPublisher publisher = store.claim("app", 0);
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    files.beforeAMoveOf("v0000000001", () -> other.pin(first, 0, "just now"));
    publisher.cleanUp(2, Set.of());
    assertThat(store.serving("app", 0).orElseThrow().checkpoint().digest())
        .isEqualTo(first.digest());
    assertThat(store.problems("app", 0)).isEmpty();
  }

  @Test
  void cleanUp_aVersionGetsAnAliasWhileItIsRenamed_staysOrTheAliasIsRefused() throws IOException {
    ModelStore other = new ModelStore(root, InstantSource.system());
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    disk.beforeAMoveOf("v0000000001", () -> other.alias("champion", first));
    publisher.cleanUp(1, Set.of());
    assertThat(store.aliased("app", 0, "champion").digest()).isEqualTo(first.digest());
    assertThat(store.problems("app", 0)).isEmpty();
    assertThatThrownBy(() -> other.alias("shadow", second))
        .as("it was deleted")
        .isInstanceOf(CorruptModelException.class);
    assertThat(store.aliases("app", 0)).containsOnlyKeys("champion");
  }

  @Test
  void alias_theVersionIsDeletedAfterItWasVerified_keepsTheNamesAsTheyWere() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    store.alias("champion", second);
    disk.beforeAMoveOf("aliases.json", () -> delete(Path.of(first.location())));
    assertThatThrownBy(() -> store.alias("champion", first))
        .isInstanceOf(CorruptModelException.class);
    assertThat(store.aliased("app", 0, "champion")).isEqualTo(second);
  }

  private static ModelStore faulty(Path folder, FileOperations files) {
    return new ModelStore(folder, InstantSource.system(), PublisherIdentity.ofThisProcess(), files);
  }

  @Test
  void publish_crashAtAnyStep_leavesTheOldOrTheNewVersionWhole() throws IOException {
    int crashes = 0;
    for (FaultyFileOperations.Fate fate : FaultyFileOperations.Fate.values()) {
      boolean died = true;
      for (int step = 0; died; step++) {
        Path folder = root.resolve(fate + "-" + step);
        new ModelStore(folder, InstantSource.system()).claim("app", 0).publish(Drafts.of(1, "old"));
        FaultyFileOperations faulty = new FaultyFileOperations(step, fate, true);
        try {
          faulty(folder, faulty).claim("app", 0).publish(Drafts.of(2, "new"));
        } catch (IOException crash) {
          assertThat(crash).hasMessageContaining("No space left");
          crashes++;
        }
        died = faulty.failed();
        assertWholeAfter(folder);
      }
    }
    assertThat(crashes).isGreaterThan(40);
  }

  private static void assertWholeAfter(Path folder) throws IOException {
    ModelStore after = new ModelStore(folder, InstantSource.system());
    ModelCheckpoint current = after.current("app", 0).orElseThrow();
    assertThat(Drafts.text(after.load(current))).isIn("old", "new");
    ModelPublisher publisher = after.claim("app", 0);
    assertThat(after.current("app", 0)).contains(current);
    ModelCheckpoint next = publisher.publish(Drafts.of(1, "next"));
    assertThat(next.manifest().version()).isGreaterThan(current.manifest().version());
    assertThat(Drafts.text(after.load(after.current("app", 0).orElseThrow()))).isEqualTo("next");
    assertThat(publisher.cleanUp(3, Set.of()).left()).isEmpty();
    assertThat(after.problems("app", 0)).isEmpty();
    try (Stream<Path> left = Files.walk(folder)) {
      assertThat(left.map(it -> String.valueOf(it.getFileName())))
          .noneMatch(name -> name.startsWith("."));
    }
  }

  @Test
  void publish_stepThatFailsOnce_servesTheOldVersionUntilItIsTriedAgain() throws IOException {
    int failures = 0;
    for (FaultyFileOperations.Fate fate :
        List.of(FaultyFileOperations.Fate.NOTHING, FaultyFileOperations.Fate.ALL)) {
      boolean failed = true;
      for (int step = 0; failed; step++) {
        Path folder = root.resolve("once-" + fate + "-" + step);
        ModelStore reader = new ModelStore(folder, InstantSource.system());
        FaultyFileOperations faulty = new FaultyFileOperations(step, fate, false);
        ModelPublisher trying = null;
        for (int version = 1; version <= 2; version++) {
          for (int attempt = 0; ; attempt++) {
            assertThat(attempt).as("attempts at step %d", step).isLessThan(3);
            try {
              trying = trying == null ? faulty(folder, faulty).claim("app", 0) : trying;
              trying.publish(Drafts.of(version, "content-" + version));
              break;
            } catch (IOException once) {
              assertThat(once).hasMessageContaining("No space left");
              failures++;
              reader
                  .current("app", 0)
                  .ifPresent(it -> assertThat(it.manifest().version()).isPositive());
            }
          }
          assertThat(Drafts.text(reader.load(reader.current("app", 0).orElseThrow())))
              .isEqualTo("content-" + version);
        }
        failed = faulty.failed();
        assertThat(reader.problems("app", 0)).isEmpty();
      }
    }
    assertThat(failures).isGreaterThan(30);
  }

  @Test
  void claim_publisherFoldersGone_rebuildsThePointer() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    delete(pointer(root, publisher).getParent());
    assertThatThrownBy(() -> store.current("app", 0)).hasMessageContaining("has versions");
    publisher = store.claim("app", 0);
    assertThat(serving()).isEqualTo("one");
  }

  @Test
  void cleanUp_undeletableNestedLeftover_isPassedOverAndGoesLater() throws IOException {
    Path inside = root.resolve("app/0/.deleting-old/a/b/file");
    Files.createDirectories(inside.getParent());
    Files.writeString(inside, "x");
    Files.writeString(root.resolve("app/0/.staging-1-half"), "x");
    disk.stuck = path -> path.equals(inside);
    for (int i = 1; i <= 4; i++) {
      publisher.publish(Drafts.of(i, "v" + i));
      ModelPublisher.CleanUp done = publisher.cleanUp(2, Set.of());
      assertThat(done.left()).isNotEmpty().allMatch(each -> each.contains(".deleting-old"));
    }
    assertThat(store.list("app", 0)).hasSize(2);
    assertThat(root.resolve("app/0/.staging-1-half")).doesNotExist();
    disk.stuck = path -> false;
    assertThat(publisher.cleanUp(2, Set.of()).left()).isEmpty();
    assertThat(root.resolve("app/0/.deleting-old")).doesNotExist();
  }

  @Test
  void cleanUp_versionThatCannotBeRenamed_staysAndTheOthersGo() throws IOException {
    for (int i = 1; i <= 4; i++) {
      publisher.publish(Drafts.of(i, "v" + i));
    }
    disk.stuck = path -> path.endsWith("v0000000002");
    ModelPublisher.CleanUp done = publisher.cleanUp(1, Set.of());
    assertThat(done.removed()).isEqualTo(2);
    assertThat(done.left()).singleElement().asString().contains("v0000000002");
    assertThat(store.list("app", 0).stream().map(it -> it.manifest().version()))
        .containsExactly(2L, 4L);
  }

  /** The zombie is stopped just before its pointer moves, the worst moment there is. */
  @Test
  void publish_stoppedBeforeThePointerMoves_isNeverInService() throws Exception {
    publisher.publish(Drafts.of(1, "one"));
    ModelStore other = new ModelStore(root, InstantSource.system());
    disk.beforeAMoveOf(
        "current.json", () -> other.claim("app", 0).publish(Drafts.of(2, "successor")));
    assertThatThrownBy(() -> publisher.publish(Drafts.of(2, "zombie")))
        .isInstanceOf(FencedPublisherException.class);
    assertThat(serving()).isEqualTo("successor");
    assertThat(store.current("app", 0).orElseThrow().manifest().version()).isEqualTo(3);
  }

  /** What was acknowledged before the claim is not lost by it. */
  @Test
  void claim_whileTheOldPublisherFinishes_followsItsPointer() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    ModelStore other =
        new ModelStore(root, InstantSource.system(), new PublisherIdentity("b", "b"), disk);
    disk.beforeAMoveOf(
        "publisher-0000000002", () -> publisher.publish(Drafts.of(2, "just in time")));
    other.claim("app", 0);
    assertThat(serving()).isEqualTo("just in time");
  }

  @Test
  void load_fileOfTwoGibibytes_isRefusedInWords() throws IOException {
    ModelCheckpoint published = publisher.publish(Drafts.of(1, "x"));
    long bytes = 1L << 31;
    try (var file =
        new java.io.RandomAccessFile(Path.of(published.file("model.zip")).toFile(), "rw")) {
      file.setLength(bytes);
    }
    ModelManifest small = published.manifest();
    ModelManifest large =
        new ModelManifest(
            small.formatVersion(),
            small.application(),
            small.partition(),
            small.version(),
            small.parentVersion(),
            small.parentDigest(),
            small.createdAtMillis(),
            small.inputOffsets(),
            small.counts(),
            small.metrics(),
            small.attributes(),
            List.of(new ModelManifest.ModelFile("model.zip", bytes, "00")));
    assertThatThrownBy(() -> store.load(new ModelCheckpoint(published.location(), large, "00")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("2147483648 bytes")
        .hasMessageContaining("2 GiB");
  }

  @Test
  void problems_aVersionIsCleanedUpAfterItWasListed_isNoDamage() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    ModelReader reader =
        new ModelReader(
            new FakeModelSource(
                store.source(),
                (version, file) -> {
                  if (version == 1 && file.equals(ModelSource.MANIFEST)) {
                    publisher.cleanUp(1, Set.of());
                  }
                }));
    assertThat(reader.problems("app", 0)).isEmpty();
    assertThat(store.list("app", 0)).as("it was cleaned up").hasSize(1);
  }

  @Test
  void problems_aManifestVanishesAfterItsVersionWasListed_isDamage() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    Files.delete(Path.of(first.file("manifest.json")));
    assertThat(store.problems("app", 0))
        .singleElement(org.assertj.core.api.InstanceOfAssertFactories.STRING)
        .contains("version 1 is not there");
  }
}
