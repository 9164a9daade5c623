package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.testkit.Tries;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What publishing is, wherever the models go. */
public abstract class ModelPublisherContract {
  @TempDir protected Path root;
  protected ModelStore store;
  protected ModelPublisher publisher;

  /** A store of a folder, or in it, in the name of a run. */
  protected abstract ModelStore open(Path folder, String run) throws IOException;

  /** The file of a version, or in one, that the store names so. */
  protected abstract Path file(Path folder, String location);

  /** The folder of application "app", partition 0. */
  protected Path partition(Path folder) {
    return folder.resolve("app/0");
  }

  /** The file with the pointer. */
  protected abstract Path pointer(Path folder, ModelPublisher publisher);

  /** Whether a publication failed because another publisher was faster. */
  protected abstract boolean isClash(IOException failed);

  @BeforeEach
  void openStore() throws IOException {
    store = store("first");
    publisher = store.claim("app", 0);
  }

  protected final ModelStore store(String run) throws IOException {
    return open(root, run);
  }

  private Path pointer() {
    return pointer(root, publisher);
  }

  protected final String serving() throws IOException {
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
      delete(file(root, each.location()));
    }
    assertThat(publisher.publish(Drafts.of(1, "y")).manifest().version()).isEqualTo(9);
  }

  /** What a publisher does in its life, with rows, a pin, an alias and a clean-up. */
  protected static void life(ModelStore mine, Path rowsFolder) throws IOException {
    ModelPublisher claimed = mine.claim("app", 0);
    Path rows = Files.writeString(rowsFolder.resolve("rows"), "all rows");
    ModelCheckpoint full = claimed.publish(Drafts.withRows(null, ModelManifest.FULL_ROWS, rows));
    claimed.publish(Drafts.withRows(full, ModelManifest.ROW_CHANGES, rows));
    mine.alias("best", full);
    mine.pin(full, 0, "by hand");
    mine.unpin("app", 0);
    claimed.publish(Drafts.of(1, "new"));
    claimed.cleanUp(2, Set.of());
  }

  protected static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  /** A thread that publishes or cleans up holds the lock of the publisher all the time. */
  @Test
  void rollBack_anotherThreadPublishesOrCleansUp_doesNotWaitForIt() throws Exception {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    ExecutorService other = Executors.newSingleThreadExecutor();
    ModelPublisher busy = publisher;
    try {
      synchronized (busy) {
        Future<?> done =
            other.submit(
                () -> {
                  busy.rollBack(1, first.digest(), 2, "two is worse");
                  return null;
                });
        done.get(30, TimeUnit.SECONDS);
        assertThat(store.serving("app", 0).orElseThrow().checkpoint()).isEqualTo(first);
      }
    } finally {
      other.shutdownNow();
    }
    publisher.cleanUp(1, Set.of());
    assertThat(store.serving("app", 0).orElseThrow().checkpoint())
        .as("a clean-up that knew nothing of it")
        .isEqualTo(first);
  }

  @Test
  void rollBack_aNewerVersionThanTheOneToLeaveIsCurrent_thatOneServes() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    ModelCheckpoint third = publisher.publish(Drafts.of(3, "three"));
    publisher.rollBack(1, first.digest(), 2, "two is worse");
    assertThat(store.serving("app", 0).orElseThrow().checkpoint()).isEqualTo(third);
    assertThatThrownBy(() -> publisher.rollBack(1, first.digest(), 1, "worse"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("version 1 is not older than version 1");
  }

  @Test
  void rollBack_anotherPublisherHasCome_isRefused() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    store("second").claim("app", 0);
    assertThatThrownBy(() -> publisher.rollBack(1, first.digest(), 2, "two is worse"))
        .isInstanceOf(FencedPublisherException.class);
    assertThat(store.pin("app", 0)).isEmpty();
  }

  /** A publisher on a slow medium: something happens while it reads the model of version 1. */
  private ModelPublisher slow(FakeModelSource.Before meanwhile) throws IOException {
    FakeModelSource.Before before =
        (version, file) -> {
          if (version == 1 && file.equals("model.zip")) {
            meanwhile.read(version, file);
          }
        };
    return store.claim(
        new ApplicationPartition("app", 0),
        new ModelReader(new FakeModelSource(store.source(), before)));
  }

  @Test
  void rollBack_peoplePinAVersionWhileFilesAreRead_leavesTheirPin() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    ModelPublisher slow = slow((version, file) -> store.pin(second, 0, "the audit wants it"));
    assertThatThrownBy(() -> slow.rollBack(1, first.digest(), 3, "three is worse"))
        .isInstanceOf(AlreadyPinnedException.class)
        .hasMessageContaining("the audit wants it");
    assertThat(store.serving("app", 0).orElseThrow().checkpoint()).isEqualTo(second);
  }

  @Test
  void rollBack_peopleHaveLeftTheVersionForAnotherOne_leavesTheirPin() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    Pin chosen = store.rollBack(new ApplicationPartition("app", 0), 1, "a customer complains");
    assertThatThrownBy(() -> publisher.rollBack(2, second.digest(), 3, "three is worse"))
        .isInstanceOfSatisfying(
            AlreadyPinnedException.class, it -> assertThat(it.forGood()).isFalse())
        .hasMessageContaining("version 1 is pinned until a version above 3 is published")
        .hasMessageContaining("a customer complains");
    assertThatThrownBy(() -> publisher.rollBack(1, first.digest(), 2, "two is worse"))
        .as("that would end before theirs")
        .isInstanceOf(AlreadyPinnedException.class);
    assertThat(store.pin("app", 0)).contains(chosen);
    publisher.rollBack(1, first.digest(), 3, "three is worse");
    assertThat(store.serving("app", 0).orElseThrow().checkpoint()).isEqualTo(first);
    ModelCheckpoint fourth = publisher.publish(Drafts.of(4, "four"));
    publisher.rollBack(2, second.digest(), fourth.manifest().version(), "four is worse");
    assertThat(store.serving("app", 0).orElseThrow().checkpoint())
        .as("no earlier pin keeps a newer version in service")
        .isEqualTo(second);
  }

  @Test
  void rollBack_anotherPublisherComesWhileFilesAreRead_isRefused() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    ModelStore other = store("second");
    ModelPublisher slow = slow((version, file) -> other.claim("app", 0));
    assertThatThrownBy(() -> slow.rollBack(1, first.digest(), 2, "two is worse"))
        .isInstanceOf(FencedPublisherException.class);
    assertThat(store.pin("app", 0)).isEmpty();
  }

  @Test
  void rollBack_peopleNameAVersion_replacesADamagedPin() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    Files.writeString(partition(root).resolve("pin.json"), "{");
    ApplicationPartition app = new ApplicationPartition("app", 0);
    assertThatThrownBy(() -> store.rollBack(app, 0, "worse"))
        .isInstanceOf(CorruptModelException.class);
    store.rollBack(app, 1, "worse");
    assertThat(store.serving("app", 0).orElseThrow().checkpoint()).isEqualTo(first);
  }

  @Test
  void cleanUp_aVersionIsPinned_stays() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    for (int i = 2; i < 6; i++) {
      publisher.publish(Drafts.of(i, "later"));
    }
    store.pin(first, 0, "by hand");
    publisher.cleanUp(2, Set.of());
    assertThat(store.list("app", 0))
        .extracting(each -> each.manifest().version())
        .containsExactly(1L, 4L, 5L);
    Files.writeString(partition(root).resolve("pin.json"), "{");
    publisher.publish(Drafts.of(6, "later"));
    assertThat(publisher.cleanUp(2, Set.of()).left())
        .anyMatch(each -> each.startsWith("every version stays, as one may be pinned"));
    assertThat(store.list("app", 0)).hasSize(4);
    store.unpin("app", 0);
    publisher.cleanUp(2, Set.of());
    assertThat(store.list("app", 0)).hasSize(2);
  }

  @Test
  void forget_olderVersions_areDeletedWhateverNamesThem() throws IOException {
    for (int i = 1; i <= 5; i++) {
      publisher.publish(Drafts.of(1, "v" + i));
    }
    store.pin(store.read("app", 0, 2), 0, "by hand");
    store.alias("old", store.read("app", 0, 3));
    store.alias("new", store.read("app", 0, 5));
    publisher.forget(5);
    assertThat(store.list("app", 0)).as("no newer version is current").hasSize(5);
    assertThat(store.pin("app", 0)).isPresent();

    publisher.forget(4);
    assertThat(store.list("app", 0))
        .extracting(each -> each.manifest().version())
        .containsExactly(5L);
    assertThat(store.pin("app", 0)).isEmpty();
    assertThat(store.aliases("app", 0)).containsOnlyKeys("new");
    assertThat(serving()).isEqualTo("v5");
    publisher.forget(4);
    ModelPublisher next = store("second").claim("app", 0);
    assertThatThrownBy(() -> publisher.forget(5)).isInstanceOf(FencedPublisherException.class);
    assertThat(next.publish(Drafts.of(1, "v6")).manifest().version()).isEqualTo(6);
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
    Files.writeString(partition(root).resolve("aliases.json"), "{");
    publisher.publish(Drafts.of(6, "later"));
    assertThat(publisher.cleanUp(2, Set.of()).left())
        .anyMatch(each -> each.startsWith("every version stays, as one may have an alias"));
    assertThat(store.list("app", 0)).hasSize(4);
    ModelCheckpoint newest = store.current("app", 0).orElseThrow();
    assertThatThrownBy(() -> store.alias("champion", newest))
        .isInstanceOf(CorruptModelException.class);
    assertThatThrownBy(() -> store.removeAlias("app", 0, "champion"))
        .isInstanceOf(CorruptModelException.class);
    Files.delete(partition(root).resolve("aliases.json"));
    publisher.cleanUp(2, Set.of());
    assertThat(store.list("app", 0)).hasSize(2);
  }

  @Test
  void alias_tooManyOrNoNamesAtAll_areRefused() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    for (String bad : List.of("", "7", "-x", "a b", "a/b", "ä", "x".repeat(33), "a.b")) {
      assertThatThrownBy(() -> store.alias(bad, first))
          .as(bad)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("is not an alias");
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
  void publish_pointerTooLargeToBeRead_replacesIt() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    Files.write(pointer(), new byte[(int) ModelSource.LARGEST_TEXT_BYTES + 1]);
    assertThatThrownBy(() -> store.current("app", 0)).isInstanceOf(CorruptModelException.class);
    publisher.publish(Drafts.of(2, "two"));
    assertThat(serving()).isEqualTo("two");
    Files.write(pointer(), new byte[(int) ModelSource.LARGEST_TEXT_BYTES + 1]);
    publisher = store.claim("app", 0);
    assertThat(serving()).isEqualTo("two");
    assertThat(publisher.publish(Drafts.of(1, "next")).manifest().version()).isEqualTo(3);
    assertThat(store.problems("app", 0)).isEmpty();
  }

  @Test
  void pin_itsFileIsTooLargeToBeRead_isReplacedOrTakenAway() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    byte[] tooLarge = new byte[(int) ModelSource.LARGEST_TEXT_BYTES + 1];
    Path pin = partition(root).resolve("pin.json");
    Files.write(pin, tooLarge);
    assertThatThrownBy(() -> publisher.rollBack(1, first.digest(), 2, "worse"))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("pin.json")
        .hasMessageContaining("`idla models unpin`");
    assertThat(publisher.cleanUp(1, Set.of()).left())
        .singleElement()
        .asString()
        .startsWith("every version stays")
        .contains("`idla models unpin`");
    store.pin(first, 0, "again");
    assertThat(store.serving("app", 0).orElseThrow().checkpoint()).isEqualTo(first);
    Files.write(pin, tooLarge);
    assertThat(store.unpin("app", 0)).isTrue();
    assertThat(store.serving("app", 0).orElseThrow().pin()).isNull();
    assertThat(publisher.cleanUp(1, Set.of()).removed()).isEqualTo(2);
  }

  @Test
  void claim_pointerDamagedOrMissing_rebuildsItFromTheNewestWholeVersion() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    ModelCheckpoint third = publisher.publish(Drafts.of(3, "three"));
    Files.writeString(file(root, third.file("model.zip")), "thrEE");
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

  @Test
  void publish_manyPublishersAtOnce_noVersionTwiceAndTheLastOneWins() throws Exception {
    int rounds = Tries.choose(4, 15);
    Set<Long> acknowledged = java.util.concurrent.ConcurrentHashMap.newKeySet();
    List<Throwable> wrong = java.util.Collections.synchronizedList(new ArrayList<>());
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < rounds; i++) {
                  try {
                    ModelPublisher mine = store("process").claim("app", 0);
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
                    if (!isClash(clash)) {
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
    delete(partition(root).getParent());
    assertThat(publisher.publish(Drafts.of(2, "two")).manifest().version()).isEqualTo(2);
    assertThat(serving()).isEqualTo("two");
  }

  @Test
  void current_nameOutsideTheFolder_isRefused() {
    assertThatThrownBy(() -> store.current("../other", 0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> store.current("", 0)).isInstanceOf(IllegalArgumentException.class);
  }
}
