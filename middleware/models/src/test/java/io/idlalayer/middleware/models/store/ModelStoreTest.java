package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelStoreTest {
  @TempDir Path root;
  private final FakeFileOperations disk = new FakeFileOperations();
  private ModelStore store;
  private ModelPublisher publisher;

  @BeforeEach
  void open() throws IOException {
    store = store("first");
    publisher = store.claim("app", 0);
  }

  private ModelStore store(String run) {
    return new ModelStore(root, InstantSource.system(), new PublisherIdentity(run, "here"), disk);
  }

  private Path pointer() {
    return FolderPartition.pointer(root.resolve("app/0"), publisher.epoch());
  }

  private String serving() throws IOException {
    return Drafts.text(store.load(store.current("app", 0).orElseThrow()));
  }

  @Test
  void publish_versions_areReadBack() throws IOException {
    assertThat(store.current("app", 0)).isEmpty();
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
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
  void publish_lowerNumberOrMissingFolders_numbersOnlyGrow() throws IOException {
    publisher.publish(Drafts.of(7, "seven"));
    assertThat(publisher.publish(Drafts.of(3, "x")).manifest().version()).isEqualTo(8);
    for (ModelCheckpoint each : store.list("app", 0)) {
      delete(Path.of(each.location()));
    }
    assertThat(publisher.publish(Drafts.of(1, "y")).manifest().version()).isEqualTo(9);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Test
  void cleanUp_aVersionIsPinned_stays() throws IOException {
    ModelStore store = new ModelStore(root, InstantSource.system());
    ModelPublisher publisher = store.claim("app", 0);
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    for (int i = 2; i < 6; i++) {
      publisher.publish(Drafts.of(i, "later"));
    }
    store.pin(first, 0, "by hand");
    publisher.cleanUp(2, Set.of());
    assertThat(store.list("app", 0))
        .extracting(each -> each.manifest().version())
        .containsExactly(1L, 4L, 5L);
    Files.writeString(root.resolve("app/0/pin.json"), "{");
    publisher.publish(Drafts.of(6, "later"));
    assertThat(publisher.cleanUp(2, Set.of()).left())
        .anyMatch(each -> each.startsWith("every version stays, as one may be pinned"));
    assertThat(store.list("app", 0)).hasSize(4);
    store.unpin("app", 0);
    publisher.cleanUp(2, Set.of());
    assertThat(store.list("app", 0)).hasSize(2);
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
    files.beforeMove =
        (from, to) -> {
          if (from.endsWith("v0000000001")) {
            files.beforeMove = (again, somewhere) -> {};
            try {
              other.pin(first, 0, "just now");
            } catch (IOException failed) {
              throw new java.io.UncheckedIOException(failed);
            }
          }
        };
    publisher.cleanUp(2, Set.of());
    assertThat(store.serving("app", 0).orElseThrow().checkpoint().digest())
        .isEqualTo(first.digest());
    assertThat(store.problems("app", 0)).isEmpty();
  }

  @Test
  void cleanUp_aVersionHasAnAlias_staysUntilItHasNone() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    for (int i = 2; i < 6; i++) {
      publisher.publish(Drafts.of(i, "later"));
    }
    store.alias("champion", first);
    assertThat(publisher.cleanUp(2, Set.of()).removed()).isEqualTo(2);
    store.verify(store.aliased("app", 0, "champion"));
    Files.writeString(root.resolve("app/0/aliases.json"), "{");
    publisher.publish(Drafts.of(6, "later"));
    assertThat(publisher.cleanUp(2, Set.of()).left())
        .anyMatch(each -> each.startsWith("every version stays, as one may have an alias"));
    assertThat(store.list("app", 0)).hasSize(4);
    ModelCheckpoint newest = store.current("app", 0).orElseThrow();
    assertThatThrownBy(() -> store.alias("champion", newest))
        .isInstanceOf(CorruptModelException.class);
    assertThatThrownBy(() -> store.removeAlias("app", 0, "champion"))
        .isInstanceOf(CorruptModelException.class);
    Files.delete(root.resolve("app/0/aliases.json"));
    publisher.cleanUp(2, Set.of());
    assertThat(store.list("app", 0)).hasSize(2);
  }

  @Test
  void cleanUp_aVersionGetsAnAliasWhileItIsRenamed_staysOrTheAliasIsRefused() throws IOException {
    ModelStore other = new ModelStore(root, InstantSource.system());
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    disk.beforeMove =
        (from, to) -> {
          if (from.endsWith("v0000000001")) {
            disk.beforeMove = (again, somewhere) -> {};
            try {
              other.alias("champion", first);
            } catch (IOException failed) {
              throw new java.io.UncheckedIOException(failed);
            }
          }
        };
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
    disk.beforeMove =
        (from, to) -> {
          if (to.endsWith("aliases.json")) {
            disk.beforeMove = (again, somewhere) -> {};
            try {
              delete(Path.of(first.location()));
            } catch (IOException failed) {
              throw new java.io.UncheckedIOException(failed);
            }
          }
        };
    assertThatThrownBy(() -> store.alias("champion", first))
        .isInstanceOf(CorruptModelException.class);
    assertThat(store.aliased("app", 0, "champion")).isEqualTo(second);
  }

  @Test
  void alias_tooManyOrNoNamesAtAll_areRefused() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    for (String bad : List.of("", "7", "-x", "a b", "a/b", "ä", "x".repeat(33), "a.b")) {
      assertThatThrownBy(() -> store.alias(bad, first))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is no alias");
    }
    for (int i = 0; i < Alias.MOST; i++) {
      store.alias("x".repeat(30) + "%02d".formatted(i), first);
    }
    assertThatThrownBy(() -> store.alias("another", first))
        .hasMessageContaining("app/0 has 32 aliases");
    store.alias("x".repeat(30) + "00", first);
    assertThat(store.aliases("app", 0)).hasSize(Alias.MOST);
  }

  @Test
  void alias_severalAtATime_allRemain() throws Exception {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<Alias>> given = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        String name = "name-" + i;
        given.add(threads.submit(() -> store("other").alias(name, first)));
      }
      for (Future<Alias> each : given) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    assertThat(store.aliases("app", 0)).hasSize(24);
  }

  @Test
  void cleanUp_keepsTheNewestTheCurrentAndThePinned() throws IOException {
    for (int i = 1; i <= 6; i++) {
      publisher.publish(Drafts.of(i, "v" + i));
    }
    assertThat(publisher.cleanUp(2, Set.of(3L)))
        .isEqualTo(new ModelPublisher.CleanUp(3, List.of()));
    assertThat(store.list("app", 0).stream().map(it -> it.manifest().version()))
        .containsExactly(3L, 5L, 6L);
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
  void publish_pointerDamaged_replacesItAndNumbersGrow() throws IOException {
    publisher.publish(Drafts.of(4, "four"));
    for (String garbage : List.of("", "{", "null", "{\"formatVersion\":1,\"version\":-3}")) {
      Files.writeString(pointer(), garbage);
      long before = store.list("app", 0).size();
      publisher.publish(Drafts.of(1, "after " + garbage));
      assertThat(serving()).isEqualTo("after " + garbage);
      assertThat(store.current("app", 0).orElseThrow().manifest().version()).isEqualTo(4 + before);
    }
  }

  @Test
  void claim_pointerDamagedOrMissing_rebuildsItFromTheNewestWholeVersion() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    ModelCheckpoint third = publisher.publish(Drafts.of(3, "three"));
    Files.writeString(Path.of(third.file("model.zip")), "thrEE");
    Files.writeString(pointer(), "{");
    publisher = store.claim("app", 0);
    assertThat(serving()).isEqualTo("two");
    Files.delete(pointer());
    assertThatThrownBy(() -> store.current("app", 0))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("is missing");
    publisher = store.claim("app", 0);
    assertThat(serving()).isEqualTo("two");
    assertThat(publisher.publish(Drafts.of(1, "next")).manifest().version()).isEqualTo(4);
  }

  @Test
  void claim_publisherFoldersGone_rebuildsThePointer() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    delete(pointer().getParent());
    assertThatThrownBy(() -> store.current("app", 0)).hasMessageContaining("has versions");
    publisher = store.claim("app", 0);
    assertThat(serving()).isEqualTo("one");
  }

  @Test
  void claim_pointerIntactOnAnOlderVersion_staysThere() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    byte[] one = Files.readAllBytes(pointer());
    publisher.publish(Drafts.of(2, "two"));
    Files.write(pointer(), one);
    publisher = store.claim("app", 0);
    assertThat(serving()).isEqualTo("one");
    publisher.cleanUp(1, Set.of());
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

  @Test
  void publish_afterAnotherPublisherCame_refusesItself() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    ModelPublisher second = store("second").claim("app", 0);
    assertThatThrownBy(() -> publisher.publish(Drafts.of(2, "zombie")))
        .isInstanceOfSatisfying(
            FencedPublisherException.class, it -> assertThat(it.sameRun()).isFalse())
        .hasMessageContaining("first (here) had epoch 1")
        .hasMessageContaining("second (here) with epoch 2");
    assertThatThrownBy(() -> publisher.cleanUp(1, Set.of()))
        .isInstanceOf(FencedPublisherException.class);
    assertThat(serving()).isEqualTo("one");
    second.publish(Drafts.of(2, "two"));
    assertThat(serving()).isEqualTo("two");
    ModelPublisher third = store("second").claim("app", 0);
    assertThatThrownBy(() -> second.publish(Drafts.of(3, "zombie")))
        .isInstanceOfSatisfying(
            FencedPublisherException.class, it -> assertThat(it.sameRun()).isTrue());
    assertThat(third.cleanUp(5, Set.of()).left()).isEmpty();
    assertThatThrownBy(() -> second.publish(Drafts.of(3, "zombie")))
        .isInstanceOf(FencedPublisherException.class);
  }

  /** The zombie is stopped just before its pointer moves, the worst moment there is. */
  @Test
  void publish_stoppedBeforeThePointerMoves_isNeverInService() throws Exception {
    publisher.publish(Drafts.of(1, "one"));
    ModelStore other = new ModelStore(root, InstantSource.system());
    disk.beforeMove =
        (from, to) -> {
          if (to.endsWith("current.json")) {
            disk.beforeMove = (again, there) -> {};
            try {
              other.claim("app", 0).publish(Drafts.of(2, "successor"));
            } catch (IOException failed) {
              throw new java.io.UncheckedIOException(failed);
            }
          }
        };
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
    disk.beforeMove =
        (from, to) -> {
          if (to.endsWith("publisher-0000000002")) {
            disk.beforeMove = (again, there) -> {};
            try {
              publisher.publish(Drafts.of(2, "just in time"));
            } catch (IOException failed) {
              throw new java.io.UncheckedIOException(failed);
            }
          }
        };
    other.claim("app", 0);
    assertThat(serving()).isEqualTo("just in time");
  }

  @Test
  void publish_manyPublishersAtOnce_noVersionTwiceAndTheLastOneWins() throws Exception {
    Set<Long> acknowledged = java.util.concurrent.ConcurrentHashMap.newKeySet();
    List<Throwable> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < 15; i++) {
                  try {
                    ModelPublisher mine =
                        new ModelStore(root, InstantSource.system()).claim("app", 0);
                    for (int k = 0; k < 3; k++) {
                      long version = mine.publish(Drafts.of(1, "x")).manifest().version();
                      if (!acknowledged.add(version)) {
                        wrong.add(new AssertionError("version twice: " + version));
                      }
                    }
                    mine.cleanUp(200, Set.of());
                  } catch (FencedPublisherException fenced) {
                    // Another one came.
                  } catch (IOException clash) {
                    if (!String.valueOf(clash).contains("appeared")
                        && !(clash instanceof java.nio.file.FileSystemException)) {
                      wrong.add(clash);
                    }
                  }
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(wrong).isEmpty();
    assertThat(acknowledged).isNotEmpty();
    long current = store.current("app", 0).orElseThrow().manifest().version();
    assertThat(acknowledged).allMatch(version -> version <= current);
    assertThat(store.problems("app", 0)).isEmpty();
  }

  @Test
  void publish_folderEmptiedByHand_goesOn() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    delete(root.resolve("app"));
    assertThat(publisher.publish(Drafts.of(2, "two")).manifest().version()).isEqualTo(2);
    assertThat(serving()).isEqualTo("two");
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
  void current_nameOutsideTheFolder_isRefused() {
    assertThatThrownBy(() -> store.current("../other", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.current("", 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
