package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage.NewVersion;
import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Condition;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Listed;
import io.idlalayer.middleware.models.storage.object.ObjectStorage;
import io.idlalayer.testkit.Tries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Publishing to an object store. */
final class ObjectPublisherTest extends ModelPublisherContract {
  private static final int LONGER_THAN_A_RESERVATION = 65;

  @TempDir Path elsewhere;

  private static ModelStore store(ObjectBucket bucket, String run) {
    return new ModelStore(bucket, InstantSource.system(), new PublisherIdentity(run, "here"));
  }

  @Override
  protected ModelStore open(Path folder, String run) {
    return store(new FolderBucket(folder), run);
  }

  @Override
  protected Path file(Path folder, String location) {
    return new FolderBucket(folder).file(location);
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve("app/0/current.json");
  }

  @Override
  protected boolean isClash(IOException failed) {
    String message = String.valueOf(failed.getMessage());
    return message.contains("appeared") || message.contains("was removed by another publisher");
  }

  private interface Step {
    void run() throws IOException;
  }

  /** A bucket whose user is interrupted once, before a request. */
  private FaultyBucket interruptedBefore(String what, String end, Step step) {
    FaultyBucket bucket = FaultyBucket.never(new FolderBucket(root));
    bucket.before =
        (asked, key) -> {
          if (asked.equals(what) && key.endsWith(end)) {
            bucket.before = (again, other) -> {};
            try {
              step.run();
            } catch (IOException failed) {
              throw new UncheckedIOException(failed);
            }
          }
        };
    return bucket;
  }

  private List<String> keys() throws IOException {
    return new FolderBucket(root).list("app/0/").stream().map(Listed::key).toList();
  }

  @Test
  void publish_whatItsRowsChangeIsDeletedMeanwhile_isNotPointedTo() throws IOException {
    Path rows = Files.writeString(elsewhere.resolve("rows"), "rows");
    ModelCheckpoint full = publisher.publish(Drafts.withRows(null, ModelManifest.FULL_ROWS, rows));
    PartitionStorage other =
        new ObjectStorage(new FolderBucket(root)).partition(new ApplicationPartition("app", 0));
    long changed = full.manifest().version();
    ObjectBucket bucket =
        interruptedBefore("put", ModelManifest.ROWS_FILE, () -> other.retire(changed));
    ModelPublisher writing = store(bucket, "b").claim("app", 0);
    assertThatThrownBy(
            () -> writing.publish(Drafts.withRows(full, ModelManifest.ROW_CHANGES, rows)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining(StoreLayout.version(changed));
    assertThat(Files.readString(pointer(root, publisher)))
        .contains("\"version\" : %d,".formatted(changed));
  }

  @Test
  void rollBack_aVersionIsPublishedMeanwhile_goesToAnOlderOne() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    long newest = 2;
    publisher.publish(Drafts.of(newest, "two"));
    for (int at = 0; at < 12; at++) {
      store("people").unpin("app", 0);
      FaultyBucket bucket = FaultyBucket.never(new FolderBucket(root));
      int before = at;
      long next = newest + 1;
      AtomicInteger requests = new AtomicInteger();
      bucket.before =
          (what, key) -> {
            if (requests.getAndIncrement() == before) {
              try {
                publisher.publish(Drafts.of(next, "next"));
              } catch (IOException failed) {
                throw new UncheckedIOException(failed);
              }
            }
          };
      Pin pin = store(bucket, "people").rollBack(new ApplicationPartition("app", 0), 0, "worse");
      assertThat(requests).as("requests").hasValueGreaterThan(before);
      assertThat(pin.version()).isBetween(1L, newest);
      assertThat(pin.until()).isBetween(newest, next).isGreaterThan(pin.version());
      newest = next;
    }
  }

  @Test
  void cleanUp_manyVersionsStay_readsEachManifestOnce() throws IOException {
    Path rows = Files.writeString(elsewhere.resolve("rows"), "rows");
    ModelCheckpoint parent = null;
    for (int i = 0; i < 20; i++) {
      String kind = i % 4 == 0 ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES;
      parent = publisher.publish(Drafts.withRows(parent, kind, rows));
    }
    List<String> read = new ArrayList<>();
    FaultyBucket bucket = FaultyBucket.never(new FolderBucket(root));
    bucket.before =
        (what, key) -> {
          if (what.equals("get") && key.endsWith("/" + StoreLayout.MANIFEST)) {
            read.add(key);
          }
        };
    ModelPublisher next = store(bucket, "b").claim("app", 0);
    read.clear();
    assertThat(next.cleanUp(20, Set.of()).removed()).isZero();
    assertThat(read).as("nothing can go").isEmpty();
    // The 13 newest need those before them, down to one with all rows.
    assertThat(next.cleanUp(13, Set.of()).removed()).isEqualTo(4);
    assertThat(read).doesNotHaveDuplicates().hasSize(20);
    next.publish(Drafts.withRows(parent, ModelManifest.ROW_CHANGES, rows));
    read.clear();
    assertThat(next.cleanUp(13, Set.of()).removed()).isEqualTo(4);
    assertThat(read).as("copies of those that go").hasSize(4);
    assertThat(store.problems("app", 0)).isEmpty();
  }

  @Test
  void cleanUp_replacedBeforeItDeletes_leavesTheVersionToTheNext() throws IOException {
    for (int i = 1; i <= 4; i++) {
      publisher.publish(Drafts.of(i, "text " + i));
    }
    ObjectBucket bucket =
        interruptedBefore("put", ".deleted.json", () -> open(root, "c").claim("app", 0));
    ModelPublisher old = store(bucket, "b").claim("app", 0);
    assertThatThrownBy(() -> old.cleanUp(1, Set.of())).isInstanceOf(FencedPublisherException.class);
    ModelStore reader = open(root, "reader");
    for (long version = 1; version <= 4; version++) {
      ModelCheckpoint still = reader.read("app", 0, version);
      assertThat(Drafts.text(reader.load(still))).isEqualTo("text " + version);
    }
  }

  /** One that deletes stops before each of its requests, and another brings the version back. */
  @Test
  void delete_broughtBackMeanwhile_isWholeOrCannotComeBack() throws IOException {
    ApplicationPartition of = new ApplicationPartition("app", 0);
    int came = 0;
    for (String request : List.of("list", "put", "delete")) {
      for (String end : List.of("", StoreLayout.MANIFEST, "model.zip", "deleted.json")) {
        publisher.publish(Drafts.of(1, "one"));
        ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
        long version = second.manifest().version();
        PartitionStorage other = new ObjectStorage(new FolderBucket(root)).partition(of);
        PartitionStorage.Retired retired = other.retire(version);
        boolean[] refused = {false};
        ObjectBucket bucket =
            interruptedBefore(
                request,
                end,
                () -> {
                  try {
                    other.restore(retired);
                  } catch (IOException begun) {
                    assertThat(begun).hasMessageContaining("are being deleted already");
                    refused[0] = true;
                  }
                });
        List<String> left = new ArrayList<>();
        new ObjectStorage(bucket).partition(of).delete(retired, left);
        assertThat(left).isEmpty();
        ModelStore store = open(root, "reader");
        if (other.versions().contains(version)) {
          came++;
          assertThat(refused[0]).isFalse();
          assertThat(Drafts.text(store.load(store.read("app", 0, version)))).isEqualTo("two");
        } else {
          assertThat(keys()).noneMatch(key -> key.contains(StoreLayout.version(version)));
        }
      }
    }
    assertThat(came).as("brought back in time").isPositive();
  }

  @Test
  void publish_stoppedBeforeThePointerMoves_isNeverInService() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    FaultyBucket bucket = FaultyBucket.never(new FolderBucket(root));
    ModelPublisher zombie = store(bucket, "zombie").claim("app", 0);
    bucket.before =
        (what, key) -> {
          if (what.equals("put") && key.endsWith("current.json")) {
            bucket.before = (again, other) -> {};
            try {
              store("second").claim("app", 0).publish(Drafts.of(2, "successor"));
            } catch (IOException failed) {
              throw new UncheckedIOException(failed);
            }
          }
        };
    assertThatThrownBy(() -> zombie.publish(Drafts.of(2, "zombie")))
        .isInstanceOf(FencedPublisherException.class)
        .hasMessageContaining("second (here) with epoch 3");
    assertThat(serving()).isEqualTo("successor");
    assertThat(store.current("app", 0).orElseThrow().manifest().version()).isEqualTo(3);
  }

  /** What was acknowledged before the claim is not lost by it. */
  @Test
  void claim_whileTheOldPublisherFinishes_followsItsPointer() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    FaultyBucket bucket =
        interruptedBefore(
            "put", "current.json", () -> publisher.publish(Drafts.of(2, "just in time")));
    store(bucket, "second").claim("app", 0);
    assertThat(serving()).isEqualTo("just in time");
  }

  /** A publisher that deletes another one's unfinished version has taken its place before. */
  @Test
  void publish_sweptByTheNextPublisher_leavesNoHalfVersion() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    for (String file : List.of("model.zip", "spec.json", "manifest.json")) {
      FaultyBucket bucket = FaultyBucket.never(new FolderBucket(root));
      ModelPublisher slow = store(bucket, "slow").claim("app", 0);
      int[] writes = {0};
      bucket.before =
          (what, key) -> {
            // The first manifest is the reservation.
            boolean reservation = key.endsWith("manifest.json") && writes[0]++ == 0;
            if (what.equals("put") && key.endsWith(file) && !reservation) {
              bucket.before = (again, other) -> {};
              try {
                ModelPublisher next = store("next").claim("app", 0);
                next.publish(Drafts.of(1, "next"));
                assertThat(next.cleanUp(9, Set.of()).left()).isEmpty();
              } catch (IOException failed) {
                throw new UncheckedIOException(failed);
              }
            }
          };
      assertThatThrownBy(() -> slow.publish(Drafts.of(1, "slow")))
          .as(file)
          .isInstanceOf(FencedPublisherException.class);
      assertThat(serving()).isEqualTo("next");
      assertThat(store.problems("app", 0)).as(file).isEmpty();
      ModelPublisher last = store("last").claim("app", 0);
      last.publish(Drafts.of(1, "last"));
      last.cleanUp(9, Set.of());
      assertThat(store.problems("app", 0)).as(file).isEmpty();
      assertThat(keys()).as(file).hasSize(2 + 3 * store.list("app", 0).size());
    }
  }

  /** The worst moment: the sweep has found the version unfinished, and not begun to delete. */
  @Test
  void sweep_theVersionIsFinishedMeanwhile_isNotOrStaysWhole() throws IOException {
    ApplicationPartition of = new ApplicationPartition("app", 7);
    Holder holder = new Holder(1, 1, "token", "run", "place", 0, 0);
    for (String before : List.of("get v0000000001/manifest.json", "delete v0000000001/model.zip")) {
      FaultyBucket bucket = FaultyBucket.never(new FolderBucket(root));
      PartitionStorage sweeping = new ObjectStorage(bucket).partition(of);
      PartitionStorage writing = new ObjectStorage(new FolderBucket(root)).partition(of);
      NewVersion version = writing.begin(holder, 1);
      version.write("model.zip", new byte[] {1});
      List<IOException> refused = new ArrayList<>();
      bucket.before =
          (what, key) -> {
            if ((what + " " + key).equals(before.replace("v0", "app/7/v0"))) {
              bucket.before = (again, other) -> {};
              try {
                version.finish(new byte[LONGER_THAN_A_RESERVATION]);
              } catch (IOException late) {
                refused.add(late);
              }
            }
          };
      List<String> left = new ArrayList<>();
      sweeping.sweep(holder, OptionalLong.of(2), left);
      assertThat(left).isEmpty();
      List<String> objects =
          new FolderBucket(root).list("app/7/").stream().map(Listed::key).toList();
      if (refused.isEmpty()) {
        assertThat(objects).as(before).hasSize(2);
      } else {
        assertThat(objects).as(before).isEmpty();
      }
      assertThat(refused).as(before).hasSize(before.startsWith("delete") ? 1 : 0);
      for (String key : objects) {
        new FolderBucket(root).delete(key);
      }
    }
  }

  @Test
  void cleanUp_aVersionIsPinnedOrNamedWhileItIsDeleted_comesBack() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    FaultyBucket pinning =
        interruptedBefore(
            "delete", "v0000000001/manifest.json", () -> store("person").pin(first, 0, "now"));
    store(pinning, "b").claim("app", 0).cleanUp(2, Set.of());
    assertThat(store.serving("app", 0).orElseThrow().checkpoint().digest())
        .isEqualTo(first.digest());
    FaultyBucket naming =
        interruptedBefore(
            "delete", "v0000000002/manifest.json", () -> store("person").alias("best", second));
    ModelPublisher last = store(naming, "c").claim("app", 0);
    last.cleanUp(1, Set.of());
    assertThat(store.aliased("app", 0, "best").digest()).isEqualTo(second.digest());
    assertThat(store.problems("app", 0)).isEmpty();
    store.unpin("app", 0);
    store.removeAlias("app", 0, "best");
    assertThat(last.cleanUp(1, Set.of()).removed()).isEqualTo(2);
    assertThat(keys()).noneMatch(key -> key.contains("v0000000001") || key.contains("0002/"));
  }

  /** What was read before must not hide that the version is gone. */
  @Test
  void pin_theVersionWasReadBeforeAndIsDeletedMeanwhile_isRefused() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    FaultyBucket bucket =
        interruptedBefore("put", "pin.json", () -> delete(file(root, first.location())));
    ModelStore person = store(bucket, "person");
    person.alias("read-before", first);
    person.aliased("app", 0, "read-before");
    assertThatThrownBy(() -> person.pin(first, 0, "too late"))
        .isInstanceOf(CorruptModelException.class);
    assertThat(store.pin("app", 0)).isEmpty();
  }

  @Test
  void alias_theVersionIsDeletedAfterItWasVerified_keepsTheNamesAsTheyWere() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    store.alias("champion", second);
    FaultyBucket bucket =
        interruptedBefore("put", "aliases.json", () -> delete(file(root, first.location())));
    assertThatThrownBy(() -> store(bucket, "b").alias("champion", first))
        .isInstanceOf(CorruptModelException.class);
    assertThat(store.aliased("app", 0, "champion")).isEqualTo(second);
  }

  /** A publisher that crashed between taking a manifest away and looking who needs it. */
  @Test
  void cleanUp_aManifestWasTakenAwayBeforeACrash_comesBackIfItIsNeeded() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    publisher.publish(Drafts.of(3, "three"));
    store.alias("champion", first);
    for (int version = 1; version <= 2; version++) {
      Path folder = root.resolve("app/0/v000000000" + version);
      Files.move(folder.resolve("manifest.json"), folder.resolve(".deleted.json"));
    }
    assertThatThrownBy(() -> store("reader").aliased("app", 0, "champion"))
        .isInstanceOf(CorruptModelException.class);
    assertThat(publisher.cleanUp(1, Set.of()).left()).isEmpty();
    assertThat(store.aliased("app", 0, "champion")).isEqualTo(first);
    store.verify(first);
    assertThat(store.list("app", 0)).hasSize(2);
    assertThat(keys()).noneMatch(key -> key.contains("v0000000002"));
  }

  private record Ignoring(ObjectBucket real, Class<? extends Condition> ignored) {
    FaultyBucket bucket() {
      return FaultyBucket.never(
          new DelegatingBucket(real) {
            @Override
            public Optional<String> put(String key, byte[] content, Condition condition)
                throws IOException {
              return real.put(
                  key, content, ignored.isInstance(condition) ? new Condition.Always() : condition);
            }
          });
    }
  }

  @Test
  void claim_theStoreIgnoresConditions_isRefused() {
    for (Class<? extends Condition> ignored :
        List.of(Condition.Absent.class, Condition.Matches.class)) {
      FaultyBucket careless = new Ignoring(new FolderBucket(root), ignored).bucket();
      assertThatThrownBy(() -> store(careless, "b").claim("app", 1))
          .hasMessageContaining("s3://bucket/models/app/1: this object store ignores the header")
          .hasMessageContaining(ignored == Condition.Absent.class ? "If-None-Match" : "If-Match");
    }
    assertThat(root.resolve("app/1/current.json")).doesNotExist();
  }

  @Test
  void note_isReadBack() throws IOException {
    assertThat(store.note("app", "started-over.json")).isEmpty();
    for (String text : List.of("one", "two")) {
      store.writeNote("app", "started-over.json", text.getBytes(StandardCharsets.UTF_8));
      assertThat(store.note("app", "started-over.json").orElseThrow()).asString().isEqualTo(text);
    }
    assertThat(store.applications()).containsOnlyKeys("app");
    assertThat(store.holdsModels("app", 0)).isFalse();
    publisher.publish(Drafts.of(1, "one"));
    assertThat(store.holdsModels("app", 0)).isTrue();
    assertThat(store.folder()).isEmpty();
  }

  @Test
  void life_anyRequestFailsOrIsLate_leavesWholeVersionsAndTheNextPublisherGoesOn()
      throws IOException {
    int crashes = 0;
    // The gate takes every eleventh request, beginning with another one each time.
    int stride = Tries.choose(11, 1);
    int offset = 0;
    for (FaultyBucket.Fate fate : FaultyBucket.Fate.values()) {
      for (boolean deadly : List.of(true, false)) {
        boolean failed = true;
        for (int request = offset++ % stride; failed; request += stride) {
          Path folder = root.resolve(fate + "-" + deadly + "-" + request);
          ModelStore before = open(folder, "a");
          ModelPublisher old = before.claim("app", 0);
          for (int i = 1; i <= 3; i++) {
            old.publish(Drafts.of(i, "old"));
          }
          FaultyBucket bucket = new FaultyBucket(new FolderBucket(folder), request, fate, deadly);
          try {
            life(store(bucket, "b"), elsewhere);
          } catch (IOException crash) {
            assertThat(crash).hasMessageContaining("no answer");
            crashes++;
          }
          failed = bucket.failed();
          assertWholeAfter(folder, bucket, "%s %s request %d".formatted(fate, deadly, request));
        }
      }
    }
    assertThat(crashes).isGreaterThan(300 / stride);
  }

  private void assertWholeAfter(Path folder, FaultyBucket late, String what) throws IOException {
    ModelStore after = open(folder, "c");
    ModelCheckpoint current = after.current("app", 0).orElseThrow();
    after.verify(current);
    assertThat(Drafts.text(after.load(current))).as(what).isIn("old", "new", "full", "delta");
    assertThat(after.problems("app", 0)).as(what).isEmpty();
    ModelPublisher next = after.claim("app", 0);
    assertThat(after.current("app", 0)).as(what).contains(current);
    // What was still on its way arrives when its sender has been replaced.
    late.arrive();
    assertThat(after.current("app", 0)).as(what).contains(current);
    ModelCheckpoint newest = next.publish(Drafts.of(1, "next"));
    assertThat(newest.manifest().version()).isGreaterThan(current.manifest().version());
    assertThat(next.cleanUp(2, Set.of()).left()).as(what).isEmpty();
    assertThat(Drafts.text(after.load(after.current("app", 0).orElseThrow()))).isEqualTo("next");
    assertThat(after.problems("app", 0)).as(what).isEmpty();
    next.publish(Drafts.of(1, "last"));
    assertThat(next.cleanUp(2, Set.of()).left()).as(what).isEmpty();
    assertThat(after.problems("app", 0)).as(what).isEmpty();
    if (!after.aliases("app", 0).isEmpty()) {
      after.verify(after.aliased("app", 0, "best"));
    }
    List<Long> kept = after.list("app", 0).stream().map(each -> each.manifest().version()).toList();
    for (Listed each : new FolderBucket(folder).list("app/0/v")) {
      long version = Long.parseLong(each.key().substring(7, 17));
      assertThat(kept).as("%s: %s is swept", what, each.key()).contains(version);
    }
  }
}
