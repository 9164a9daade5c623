package io.idlalayer.middleware.models.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public class ModelSubscriberTest {
  @TempDir Path root;
  private ModelStore store;
  private ModelPublisher publisher;
  private final FakeLoader loader = new FakeLoader();
  private long nowMillis = 1_000;
  private long setMillis;
  private ModelSubscriber<String> subscriber;

  /** Loads a model's text; text "broken" fails. */
  private static final class FakeLoader implements ModelLoader<String> {
    final List<String> disposed = java.util.Collections.synchronizedList(new ArrayList<>());

    @Override
    public String load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
      String text = Drafts.text(files);
      if (text.equals("broken")) {
        throw new IllegalStateException("cannot make a model of this");
      }
      if (text.startsWith("error")) {
        throw new OutOfMemoryError("Failed to allocate memory within limits");
      }
      return text;
    }

    @Override
    public void dispose(String model) {
      disposed.add(model);
      if (model.equals("sticky")) {
        throw new IllegalStateException("cannot be freed");
      }
    }
  }

  /** Returns a reader of the models in a folder. */
  protected ModelReader reader(Path folder) throws IOException {
    return new ModelStore(folder, InstantSource.system());
  }

  /** What publishes into the folder. */
  protected ModelStore writer(Path folder, InstantSource clock) throws IOException {
    return new ModelStore(folder, clock);
  }

  /** The file of a version, or in one, that the writer names so. */
  protected Path file(Path folder, String location) {
    return Path.of(location);
  }

  /** How many versions come while models are in use. */
  protected int swaps() {
    return 120;
  }

  /** The file with the pointer. */
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return Drafts.pointer(folder.resolve("app/0"), publisher);
  }

  @BeforeEach
  void open() throws IOException {
    InstantSource clock = () -> Instant.ofEpochMilli(nowMillis);
    store = writer(root, clock);
    publisher = store.claim("app", 0);
    subscriber = following(subscription(), loader);
  }

  /** Returns a time that follows the wall clock, except where a test sets the wall clock. */
  private long nanos() {
    return (nowMillis - setMillis) * 1_000_000;
  }

  /** The wall clock is set, forward or back. */
  private void setClock(long byMillis) {
    nowMillis += byMillis;
    setMillis += byMillis;
  }

  private ModelCheckpoint publish(long version, String model) throws IOException {
    return publisher.publish(Drafts.of(version, model));
  }

  /** Publishes a version, and the subscriber looks. */
  private ModelCheckpoint take(long version, String model) throws IOException {
    ModelCheckpoint published = publish(version, model);
    subscriber.refresh();
    return published;
  }

  private void assertTakes(String model) throws IOException {
    assertThat(subscriber.refresh()).isTrue();
    assertThat(serving()).isEqualTo(model);
  }

  /** Looks and takes nothing. */
  private void assertStaysOn(String model) throws IOException {
    assertThat(subscriber.refresh()).isFalse();
    assertThat(serving()).isEqualTo(model);
  }

  private ModelSubscriber.Subscription subscription() throws IOException {
    return new ModelSubscriber.Subscription(reader(root), "app", 0, Duration.ofMillis(5));
  }

  /** Follows with the clock of the test. */
  private ModelSubscriber<String> following(
      ModelSubscriber.Subscription subscription, ModelLoader<String> with) {
    return new ModelSubscriber<>(
        subscription, with, () -> Instant.ofEpochMilli(nowMillis), this::nanos);
  }

  private static ModelSubscriber.StalenessLimit limit(long millis, ModelSubscriber.WhenStale then) {
    return new ModelSubscriber.StalenessLimit(Duration.ofMillis(millis), then);
  }

  private String serving() {
    Optional<ModelLease<String>> lease = subscriber.tryAcquire();
    String model = lease.map(ModelLease::model).orElse("nothing");
    lease.ifPresent(ModelLease::close);
    return model;
  }

  @Test
  void refresh_severalVersions_keepsThePreviousOne() throws IOException {
    assertThat(subscriber.refresh()).isFalse();
    publish(1, "one");
    assertThat(subscriber.refresh()).isTrue();
    assertThat(subscriber.refresh()).isFalse();
    take(2, "two");
    take(3, "three");
    assertThat(serving()).isEqualTo("three");
    assertThat(subscriber.previous().orElseThrow().manifest().version()).isEqualTo(2);
    assertThat(loader.disposed).containsExactly("one");
    nowMillis = 1_250;
    assertThat(subscriber.ageMillis()).contains(250L);
    subscriber.close();
    assertThat(loader.disposed).containsExactlyInAnyOrder("one", "two", "three");
  }

  @Test
  void status_swapsAndRollback_saySinceWhenWhichVersionServes() throws IOException {
    publish(1, "one");
    nowMillis = 2_000;
    subscriber.refresh();
    publish(2, "two");
    nowMillis = 3_000;
    subscriber.refresh();
    ModelSubscriber.Status second = subscriber.status();
    assertThat(second.version()).isEqualTo(2);
    assertThat(second.publishedAtMillis()).isEqualTo(2_000);
    assertThat(second.servingSinceMillis()).isEqualTo(3_000);
    assertThat(second.swaps()).isEqualTo(2);
    assertThat(second.loads()).isEqualTo(2);
    nowMillis = 4_000;
    subscriber.rollback();
    ModelSubscriber.Status back = subscriber.status();
    assertThat(back.version()).isEqualTo(1);
    assertThat(back.publishedAtMillis()).isEqualTo(1_000);
    assertThat(back.servingSinceMillis()).isEqualTo(4_000);
    assertThat(back.swaps()).isEqualTo(3);
    assertThat(back.loads()).isEqualTo(2);
    assertThat(back.stale()).isFalse();
    subscriber.close();
    assertThat(subscriber.status().servingSinceMillis()).isZero();
  }

  /** The model before the previous one is freed while the new one is taken. */
  @Test
  void refresh_afterALongSilence_isNotStaleFromTheFirstMoment() throws IOException {
    List<Boolean> stale = new ArrayList<>();
    List<ModelSubscriber<String>> limited = new ArrayList<>();
    ModelLoader<String> asking =
        new ModelLoader<>() {
          @Override
          public String load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
            return Drafts.text(files);
          }

          @Override
          public void dispose(String model) {
            stale.add(limited.get(0).status().stale());
          }
        };
    limited.add(
        following(subscription().with(limit(30_000, ModelSubscriber.WhenStale.REFUSE)), asking));
    for (String model : List.of("one", "two", "three")) {
      nowMillis += 60_000;
      publish(1, model);
      limited.get(0).refresh();
    }
    assertThat(stale).containsExactly(false);
    nowMillis += 30_001;
    assertThat(limited.get(0).status().stale()).isTrue();
    limited.get(0).close();
  }

  @Test
  void acquire_theStoreIsOutOfReachForLong_isRefusedUntilItIsBack() throws IOException {
    for (ModelSubscriber.WhenStale then : ModelSubscriber.WhenStale.values()) {
      try (ModelSubscriber<String> limited =
          following(subscription().with(limit(30_000, then)), loader)) {
        assertThat(limited.status().stalenessMillis()).isZero();
        long version = store.list("app", 0).size() + 1L;
        ModelCheckpoint published = publish(version, "good");
        limited.refresh();
        nowMillis += 1_000_000;
        limited.refresh();
        assertThat(limited.status().stalenessMillis()).as("old, and not stale").isZero();
        // A pin to a version that does not exist: the version to serve is unknown.
        ModelCheckpoint gone = publish(version + 1, "gone");
        store.pin(gone, 0, "by hand");
        Files.writeString(file(root, gone.file("model.zip")), "lost");
        assertThatThrownBy(limited::refresh).isInstanceOf(IOException.class);
        nowMillis += 30_000;
        assertThat(limited.tryAcquire()).isPresent().get().satisfies(ModelLease::close);
        nowMillis += 1;
        assertThatThrownBy(limited::refresh).isInstanceOf(IOException.class);
        assertThat(limited.status().stalenessMillis()).isEqualTo(30_001);
        if (then == ModelSubscriber.WhenStale.REFUSE) {
          assertThat(limited.tryAcquire()).isEmpty();
          assertThatThrownBy(limited::acquire)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("not been able to tell for 30001 ms whether version")
              .hasMessageContaining("is still the one to serve");
        } else {
          limited.acquire().close();
        }
        store.pin(published, 0, "by hand");
        limited.refresh();
        limited.acquire().close();
        setClock(-5_000_000);
        assertThat(limited.status().stalenessMillis()).isZero();
        setClock(10_000_000);
        assertThat(limited.status().stalenessMillis()).isZero();
        assertThat(limited.tryAcquire()).isPresent().get().satisfies(ModelLease::close);
        setClock(-5_000_000);
        store.unpin("app", 0);
        Files.writeString(file(root, gone.file("model.zip")), "gone");
      }
    }
  }

  @Test
  void refresh_anOlderVersionIsPinned_goesBackAndOnAgain() throws IOException {
    ModelCheckpoint first = take(1, "one");
    take(2, "two");
    take(3, "three");
    store.pin(first, 0, "by hand");
    assertTakes("one");
    assertThat(subscriber.refresh()).as("it serves already").isFalse();
    publish(4, "four");
    assertThat(subscriber.refresh()).isFalse();
    store.unpin("app", 0);
    subscriber.refresh();
    assertThat(serving()).isEqualTo("four");
  }

  @Test
  void refresh_thePinGoesToTheVersionBefore_servesItWithoutLoadingIt() throws IOException {
    ModelCheckpoint first = take(1, "one");
    take(2, "two");
    store.pin(first, 0, "by hand");
    nowMillis += 500;
    assertTakes("one");
    assertThat(subscriber.status().servingSinceMillis()).isEqualTo(nowMillis);
    store.unpin("app", 0);
    assertTakes("two");
    assertThat(subscriber.status().swaps()).isEqualTo(4);
    assertThat(subscriber.status().loads()).isEqualTo(2);
    assertThat(loader.disposed).isEmpty();
    take(3, "three");
    assertThat(loader.disposed).containsExactly("one");
    subscriber.close();
    assertThat(loader.disposed).containsExactlyInAnyOrder("one", "two", "three");
  }

  @Test
  void refresh_thePinGoesToTheVersionBefore_needsNeitherItsFilesNorLeasesGivenBack()
      throws IOException {
    List<ModelLease<String>> neverClosed = new ArrayList<>();
    List<ModelCheckpoint> versions = new ArrayList<>();
    int most = ModelSubscriber.MOST_RETIRED + 2;
    for (int version = 1; version <= most; version++) {
      versions.add(take(version, "model " + version));
      neverClosed.add(subscriber.acquire());
    }
    ModelCheckpoint before = versions.get(most - 2);
    store.pin(before, 0, "by hand");
    damage(before);
    assertThat(subscriber.refresh()).isTrue();
    assertThat(serving()).isEqualTo("model " + (most - 1));
    neverClosed.forEach(ModelLease::close);
  }

  @Test
  void refresh_anAliasIsFollowed_goesWhereTheNameGoes() throws IOException {
    try (ModelSubscriber<String> named = following(subscription().with("champion"), loader)) {
      ModelCheckpoint first = publish(1, "one");
      assertThatThrownBy(named::refresh).hasMessageContaining("app/0 has no alias 'champion'");
      assertThat(named.tryAcquire()).isEmpty();
      store.alias("champion", first);
      assertThat(named.refresh()).isTrue();
      ModelCheckpoint second = publish(2, "two");
      store.pin(second, 0, "for the others");
      assertThat(named.refresh()).as("neither published nor pinned ones are followed").isFalse();
      store.alias("champion", second);
      named.refresh();
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(2);
      store.alias("champion", first);
      assertThat(named.refresh()).as("back").isTrue();
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(1);
      assertThat(named.rollback()).isTrue();
      assertThat(named.refresh()).as("rolled back from it in this process").isFalse();
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(2);
      store.alias("champion", second);
      assertThat(named.refresh()).isFalse();
      store.alias("champion", first);
      assertThat(named.refresh()).as("it came again").isTrue();
      store.removeAlias("app", 0, "champion");
      assertThatThrownBy(named::refresh).isInstanceOf(IOException.class);
      nowMillis += 70;
      assertThat(named.status().stalenessMillis()).isEqualTo(70);
      assertThat(named.current().orElseThrow().manifest().version()).isEqualTo(1);
    }
  }

  @Test
  void start_theAliasIsGivenLater_isFoundAtTheNextLook() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    List<String> told = java.util.Collections.synchronizedList(new ArrayList<>());
    try (ModelSubscriber<String> named =
        new ModelSubscriber<>(subscription().with("champion"), loader, InstantSource.system())) {
      named.start(null, told::add);
      Awaitility.await().until(() -> named.status().refused() > 20);
      assertThat(told).singleElement().asString().contains("app/0 has no alias 'champion'");
      store.alias("champion", first);
      Awaitility.await().until(() -> named.current().isPresent());
      assertThat(named.lastError()).isEmpty();
    }
  }

  @Test
  void refresh_theLearnerRolledBack_followsBackAndToTheNextVersion() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    take(2, "two");
    publisher.rollBack(1, first.digest(), 2, "two is worse");
    subscriber.refresh();
    assertThat(serving()).isEqualTo("one");
    take(3, "three");
    assertThat(serving()).isEqualTo("three");
  }

  @Test
  void refresh_aDamagedVersionIsPinned_isRefusedUntilAGoodLookClearsTheError() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    take(2, "two");
    store.pin(first, 0, "by hand");
    damage(first);
    assertThatThrownBy(subscriber::refresh).isInstanceOf(IOException.class);
    assertThat(serving()).isEqualTo("two");
    assertThat(subscriber.lastError()).isNotEmpty();
    store.unpin("app", 0);
    assertStaysOn("two");
    assertThat(subscriber.lastError()).isEmpty();
    assertThat(subscriber.status().refused()).isEqualTo(1);
  }

  @Test
  void refresh_badVersion_isRefusedAndTheOldOneServesOn() throws IOException {
    take(1, "good");
    publish(2, "broken");
    assertThatThrownBy(subscriber::refresh).hasMessageContaining("version 2 does not load");
    ModelCheckpoint third = publish(3, "third");
    Files.writeString(file(root, third.file("model.zip")), "thirD");
    assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
    assertThat(serving()).isEqualTo("good");
    assertThat(subscriber.status().refused()).isEqualTo(2);
    assertThat(subscriber.status().lastError()).contains("SHA-256");
    publish(4, "fine");
    assertThat(subscriber.refresh()).isTrue();
    assertThat(subscriber.status().lastError()).isEmpty();
  }

  private void damage(ModelCheckpoint version) throws IOException {
    Files.writeString(file(root, version.file("model.zip")), "damaged");
  }

  @Test
  void refresh_theFirstVersionThatItSeesIsDamaged_servesTheLastOneBeforeThatLoads()
      throws IOException {
    ModelCheckpoint first = publish(1, "one");
    nowMillis = 2_000;
    ModelCheckpoint second = publisher.publish(Drafts.after(first, "two"));
    nowMillis = 3_000;
    ModelCheckpoint third = publisher.publish(Drafts.after(second, "three"));
    damage(second);
    damage(third);
    nowMillis = 5_000;
    assertThatThrownBy(subscriber::refresh)
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("v0000000003");
    assertThat(serving()).isEqualTo("one");
    ModelSubscriber.Status status = subscriber.status();
    assertThat(status.version()).isEqualTo(1);
    assertThat(status.lastError()).contains("v0000000003");
    assertThat(status.stalenessMillis()).as("since the second was published").isEqualTo(3_000);
    assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
    assertThat(serving()).isEqualTo("one");
    publisher.publish(Drafts.after(third, "four"));
    assertTakes("four");
    assertThat(subscriber.status().stalenessMillis()).isZero();
  }

  @Test
  void refresh_theDamagedVersionContinuesOneThatWasRolledBack_servesTheOneGoneBackTo()
      throws IOException {
    ModelCheckpoint first = publish(1, "one");
    ModelCheckpoint second = publisher.publish(Drafts.after(first, "two"));
    ModelCheckpoint third = publisher.publish(Drafts.after(second, "three, worse"));
    ModelCheckpoint fourth = publisher.publish(Drafts.after(third, "four, worse"));
    publisher.rollBack(2, second.digest(), 4, "three and four are worse");
    nowMillis = 2_000;
    ModelCheckpoint fifth = publisher.publish(Drafts.after(fourth, "five"));
    damage(fifth);
    nowMillis = 5_000;
    assertThatThrownBy(subscriber::refresh)
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("v0000000005");
    assertThat(serving()).isEqualTo("two");
    assertThat(subscriber.status().stalenessMillis())
        .as("the second was to be served until the fifth was published")
        .isEqualTo(3_000);
  }

  @Test
  void refresh_aRollbackWasTakenBack_servesWhatItLeft() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    ModelCheckpoint second = publisher.publish(Drafts.after(first, "two"));
    publisher.rollBack(1, first.digest(), 2, "two looks worse");
    store.unpin("app", 0);
    damage(publisher.publish(Drafts.after(second, "three")));
    assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
    assertThat(serving()).isEqualTo("two");
  }

  @Test
  void rollBack_ofAVersionAfterOneThatWasLeft_goesPastThatOne() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    ModelCheckpoint second = publisher.publish(Drafts.after(first, "two, worse"));
    ApplicationPartition of = new ApplicationPartition("app", 0);
    store.rollBack(of, 0, "two is worse");
    publisher.publish(Drafts.after(second, "three"));
    store.rollBack(of, 0, "three too");
    subscriber.refresh();
    assertThat(serving()).isEqualTo("one");
    assertThatThrownBy(() -> store.rollBack(of, 0, "one too"))
        .hasMessageContaining("no version before v1");
  }

  @Test
  void refresh_noneServesAndTheOneBeforeIsOfAnotherLineage_servesNone() throws IOException {
    publish(1, "one");
    damage(publish(2, "two, of another first"));
    assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
    assertThat(serving()).isEqualTo("nothing");
  }

  @Test
  void refresh_theVersionAskedForByPinOrNameIsDamaged_servesNoOther() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    ModelCheckpoint second = publisher.publish(Drafts.after(first, "two"));
    publisher.publish(Drafts.after(second, "three"));
    store.alias("champion", second);
    store.pin(second, 0, "by hand");
    damage(second);
    assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
    assertThat(serving()).isEqualTo("nothing");
    try (ModelSubscriber<String> named =
        new ModelSubscriber<>(
            subscriber.subscription().with("champion"), loader, InstantSource.system())) {
      assertThatThrownBy(named::refresh).isInstanceOf(CorruptModelException.class);
      assertThat(named.current()).isEmpty();
    }
  }

  @Test
  void acquire_onlyAnAncestorLoadsAndStaleOnesAreRefused_givesNone() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    damage(publisher.publish(Drafts.after(first, "two")));
    nowMillis = 2_000;
    try (ModelSubscriber<String> strict =
        following(subscription().with(limit(500, ModelSubscriber.WhenStale.REFUSE)), loader)) {
      assertThatThrownBy(strict::refresh).isInstanceOf(CorruptModelException.class);
      assertThat(strict.tryAcquire()).isEmpty();
      assertThatThrownBy(strict::acquire).hasMessageContaining("v0000000002");
    }
  }

  @Test
  void refresh_pointerToAnOlderVersion_staysOnTheNewerOne() throws IOException {
    take(5, "five");
    Path pointer = pointer(root, publisher);
    publish(6, "six");
    byte[] six = Files.readAllBytes(pointer);
    subscriber.refresh();
    ModelCheckpoint five = store.read("app", 0, 5);
    Files.writeString(
        pointer, "{\"formatVersion\":1,\"version\":5,\"digest\":\"%s\"}".formatted(five.digest()));
    nowMillis += 700;
    assertStaysOn("six");
    assertThat(subscriber.status().stalenessMillis()).as("it is there").isZero();
    assertThat(subscriber.lastError()).isEmpty();
    Files.write(pointer, six);
    assertThat(subscriber.refresh()).isFalse();
  }

  private void deleteAll() throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        if (!each.equals(root)) {
          Files.delete(each);
        }
      }
    }
  }

  /** The models were deleted, so that their numbers begin with 1 again. */
  @Test
  void refresh_theModelsWereDeleted_saysSoUntilTheNewOnesAreNewer() throws IOException {
    publish(1, "one");
    take(2, "two");
    deleteAll();
    assertThat(subscriber.refresh()).as("nothing is there").isFalse();
    publisher = writer(root, InstantSource.system()).claim("app", 0);
    publish(1, "one anew");
    nowMillis += 700;
    assertThatThrownBy(subscriber::refresh)
        .hasMessageContaining("names version 1, but version 2, which is served here, is no longer")
        .hasMessageContaining("start this process anew");
    publish(2, "two anew");
    assertThatThrownBy(subscriber::refresh)
        .hasMessageContaining("names version 2, but version 2, which is served here, is no longer");
    assertThat(serving()).isEqualTo("two");
    assertThat(subscriber.status().stalenessMillis()).isEqualTo(700);
    assertThat(subscriber.lastError()).contains("version 2");
    publish(3, "three");
    assertTakes("three");
  }

  @Test
  void rollback_servesThePreviousUntilANewerVersionComes() throws IOException {
    assertThat(subscriber.rollback()).isFalse();
    take(1, "one");
    take(2, "two");
    assertThat(subscriber.rollback()).isTrue();
    assertThat(serving()).isEqualTo("one");
    assertThat(subscriber.refresh()).isFalse();
    publish(3, "three");
    assertTakes("three");
  }

  @Test
  void rollback_ofAPinnedVersion_holdsUntilThePinGoesElsewhere() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    ModelCheckpoint second = publish(2, "two");
    take(3, "three");
    store.pin(first, 0, "by hand");
    subscriber.refresh();
    assertThat(subscriber.rollback()).isTrue();
    assertThat(serving()).isEqualTo("three");
    assertThat(subscriber.refresh()).as("this process went back from it").isFalse();
    assertThat(serving()).isEqualTo("three");
    nowMillis += 1;
    store.pin(first, 0, "by hand");
    assertThat(subscriber.refresh()).as("pinned again").isTrue();
    assertThat(serving()).isEqualTo("one");
    assertThat(subscriber.rollback()).isTrue();
    assertThat(subscriber.refresh()).isFalse();
    store.pin(second, 0, "by hand");
    assertTakes("two");
    store.pin(first, 0, "by hand");
    assertThat(subscriber.refresh()).as("the pin was elsewhere meanwhile").isTrue();
    store.unpin("app", 0);
    subscriber.refresh();
    assertThat(serving()).isEqualTo("three");
  }

  @Test
  void rollback_andThenAPin_peopleHaveTheLastWord() throws IOException {
    ModelCheckpoint first = publish(1, "one");
    take(2, "two");
    ModelCheckpoint third = take(3, "three");
    subscriber.rollback();
    store.pin(third, 0, "by hand");
    assertThat(subscriber.refresh()).as("pinned after the rollback").isTrue();
    assertThat(serving()).isEqualTo("three");
    subscriber.rollback();
    store.pin(first, 0, "by hand");
    subscriber.refresh();
    store.unpin("app", 0);
    assertThat(subscriber.refresh()).as("unpinned after the rollback").isTrue();
    assertThat(serving()).isEqualTo("three");
  }

  /** A version that loads until it is told to end, or fails. */
  private ModelSubscriber<String> slow(CountDownLatch loading, CountDownLatch end)
      throws IOException {
    return new ModelSubscriber<>(
        subscription(),
        new ModelLoader<String>() {
          @Override
          public String load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
            String text = loader.load(checkpoint, files);
            if (text.equals("slow")) {
              loading.countDown();
              Awaitility.await().until(() -> end.getCount() == 0);
            }
            return text;
          }

          @Override
          public void dispose(String model) {
            loader.dispose(model);
          }
        },
        InstantSource.system());
  }

  private static Thread refreshing(ModelSubscriber<String> slow) {
    Thread thread =
        new Thread(
            () -> {
              try {
                slow.refresh();
              } catch (IOException failed) {
                throw new java.io.UncheckedIOException(failed);
              }
            });
    thread.start();
    return thread;
  }

  @Test
  void rollback_whileAVersionLoads_doesNotWaitForIt() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    try (ModelSubscriber<String> slow = slow(loading, end)) {
      publish(1, "one");
      slow.refresh();
      publish(2, "two");
      slow.refresh();
      publish(3, "slow");
      Thread refreshing = refreshing(slow);
      loading.await();
      assertThat(slow.rollback()).isTrue();
      assertThat(slow.status().version()).isEqualTo(1);
      assertThat(loader.disposed).as("what loads may read it").isEmpty();
      assertThat(slow.status().openLeases()).isZero();
      assertThat(slow.status().retired()).isZero();
      end.countDown();
      refreshing.join();
      assertThat(slow.status().version()).isEqualTo(3);
      assertThat(slow.previous().orElseThrow().manifest().version()).isEqualTo(1);
      assertThat(loader.disposed).containsExactly("two");
    }
    assertThat(loader.disposed).containsExactlyInAnyOrder("one", "two", "slow");
  }

  @Test
  void close_whileAVersionLoads_doesNotWaitForItAndFreesIt() throws Exception {
    CountDownLatch loading = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    publish(1, "one");
    ModelSubscriber<String> slow = slow(loading, end);
    slow.refresh();
    publish(2, "slow");
    Thread refreshing = refreshing(slow);
    loading.await();
    slow.close();
    assertThat(slow.tryAcquire()).isEmpty();
    end.countDown();
    refreshing.join();
    assertThat(slow.current()).isEmpty();
    assertThat(loader.disposed).containsExactlyInAnyOrder("one", "slow");
  }

  @Test
  void start_badVersion_tellsTheRefusalOnceAndFollowsOn() throws Exception {
    List<String> refusals = java.util.Collections.synchronizedList(new ArrayList<>());
    subscriber.start(null, refusals::add);
    publish(1, "one");
    await(() -> serving().equals("one"));
    publish(2, "broken");
    await(() -> !refusals.isEmpty());
    await(() -> subscriber.status().refused() >= 2);
    publish(3, "three");
    await(() -> serving().equals("three"));
    assertThat(refusals).hasSize(1);
    subscriber.close();
  }

  @Test
  void acquire_beforeTheFirstModelOrAfterClose_saysSo() throws IOException {
    assertThatThrownBy(subscriber::acquire)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("app/0 has no model in service yet");
    take(1, "one");
    ModelLease<String> open = subscriber.acquire();
    subscriber.close();
    assertThatThrownBy(subscriber::acquire).hasMessageContaining("closed");
    assertThat(open.model()).isEqualTo("one");
    assertThat(loader.disposed).isEmpty();
    open.close();
    open.close();
    assertThat(loader.disposed).containsExactly("one");
    assertThatThrownBy(open::model)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void rollback_duringARequest_freesTheModelOnlyWhenItEnds() throws IOException {
    take(1, "one");
    take(2, "two");
    try (ModelLease<String> request = subscriber.acquire()) {
      assertThat(subscriber.rollback()).isTrue();
      assertThat(loader.disposed).isEmpty();
      assertThat(request.model()).isEqualTo("two");
      assertThat(serving()).isEqualTo("one");
    }
    assertThat(loader.disposed).containsExactly("two");
  }

  @Test
  void refresh_twoSwapsDuringARequest_freesTheModelOnlyWhenItEnds() throws IOException {
    take(1, "one");
    try (ModelLease<String> request = subscriber.acquire()) {
      for (int i = 2; i <= 4; i++) {
        take(i, "v" + i);
      }
      assertThat(loader.disposed).containsExactly("v2");
      assertThat(request.model()).isEqualTo("one");
      nowMillis += 5_000;
      assertThat(subscriber.status().retired()).isEqualTo(1);
      assertThat(subscriber.status().openLeases()).isEqualTo(1);
      assertThat(subscriber.status().longestRetiredMillis()).isEqualTo(5_000);
    }
    assertThat(loader.disposed).containsExactly("v2", "one");
    assertThat(subscriber.status().retired()).isZero();
    assertThat(subscriber.status().openLeases()).isZero();
  }

  @Test
  void refresh_leasesNeverClosed_takesNoMoreThanTheLimit() throws IOException {
    List<ModelLease<String>> leaked = new ArrayList<>();
    int refused = 0;
    for (int i = 1; i <= ModelSubscriber.MOST_RETIRED + 5; i++) {
      publish(i, "v" + i);
      try {
        subscriber.refresh();
        leaked.add(subscriber.acquire());
      } catch (IOException bounded) {
        refused++;
        assertThat(bounded).hasMessageContaining("close every ModelLease");
      }
    }
    assertThat(refused).isEqualTo(3);
    assertThat(loader.disposed).isEmpty();
    leaked.get(0).close();
    assertThat(subscriber.refresh()).isTrue();
  }

  @Test
  void close_modelThatCannotBeFreed_isRecordedAndHitsNoRequest() throws IOException {
    take(1, "sticky");
    ModelLease<String> request = subscriber.acquire();
    take(2, "two");
    take(3, "three");
    request.close();
    assertThat(subscriber.lastError()).contains("version 1 is not freed: ").contains("cannot be");
  }

  @Test
  void refresh_loaderThrowsAnError_isRefused() throws IOException {
    take(1, "one");
    publish(2, "error");
    assertThatThrownBy(subscriber::refresh)
        .isInstanceOf(IOException.class)
        .hasMessageContaining("OutOfMemoryError");
    assertThat(serving()).isEqualTo("one");
    assertThat(subscriber.lastError()).contains("Failed to allocate memory");
  }

  @Test
  void start_loaderAndListenerThrowErrors_goesOnAndSaysSo() throws Exception {
    AtomicInteger told = new AtomicInteger();
    subscriber.start(
        null,
        reason -> {
          told.incrementAndGet();
          throw new NoClassDefFoundError("listener");
        });
    publish(1, "error-1");
    await(() -> subscriber.lastError().contains("OutOfMemoryError"));
    await(() -> told.get() == 1);
    publish(2, "error-2");
    await(() -> told.get() == 2);
    await(() -> subscriber.status().refused() >= 4);
    publish(3, "three");
    await(() -> serving().equals("three"));
    assertThat(subscriber.lastError()).isEmpty();
    subscriber.close();
  }

  /** Fails in every way a source can, then opens sources of {@link #notices}. */
  private static final class FaultyOpener implements NoticeSource.Opener {
    final FakeNotices notices = new FakeNotices();
    final AtomicInteger opened = new AtomicInteger();
    final AtomicInteger closed = new AtomicInteger();

    @Override
    public NoticeSource open() {
      NoticeSource working = notices.open("app", 0);
      int turn = opened.incrementAndGet();
      if (turn == 1) {
        throw new org.apache.kafka.common.KafkaException("no broker");
      }
      return new NoticeSource() {
        @Override
        public boolean await(Duration longest) throws InterruptedException {
          if (turn == 2) {
            throw new org.apache.kafka.common.errors.AuthorizationException("not allowed");
          }
          if (turn == 3) {
            throw new OutOfMemoryError("Java heap space");
          }
          return working.await(longest.dividedBy(1_000));
        }

        @Override
        public void close() {
          closed.incrementAndGet();
          throw new IllegalStateException("does not close");
        }
      };
    }
  }

  @Test
  void start_noticeSourceFails_isClosedAndOpenedAgainWhilePollingGoesOn() throws Exception {
    FaultyOpener opener = new FaultyOpener();
    publish(1, "one");
    subscriber.start(opener, reason -> {});
    await(() -> serving().equals("one"));
    await(() -> opener.opened.get() >= 1 && !subscriber.status().noticesError().isEmpty());
    publish(2, "two");
    await(() -> serving().equals("two"));
    await(() -> opener.opened.get() == 4);
    await(() -> subscriber.status().noticesError().isEmpty());
    assertThat(opener.closed.get()).isEqualTo(2);
    subscriber.close();
    assertThat(opener.closed.get()).isEqualTo(3);
  }

  @Test
  void start_noticeComes_looksAtOnce() throws Exception {
    FaultyOpener opener = new FaultyOpener();
    opener.opened.set(3);
    ModelSubscriber<String> slow =
        new ModelSubscriber<>(
            new ModelSubscriber.Subscription(reader(root), "app", 0, Duration.ofMinutes(5)),
            loader,
            InstantSource.system());
    slow.start(opener, reason -> {});
    await(() -> opener.opened.get() == 4);
    publish(1, "one");
    opener.notices.send("app", 0);
    await(() -> slow.current().isPresent());
    slow.close();
  }

  @Test
  void start_noticeSourceHangs_pollingGoesOn() throws Exception {
    subscriber.start(
        () -> {
          new CountDownLatch(1).await();
          throw new IllegalStateException("never");
        },
        reason -> {});
    publish(1, "one");
    await(() -> serving().equals("one"));
    subscriber.close();
  }

  /** A model that knows whether it is freed. */
  private static final class Freeable {
    volatile boolean freed;
    final AtomicInteger frees = new AtomicInteger();
  }

  @Test
  void acquire_whileVersionsAreSwappedAndRolledBack_neverGivesAFreedModel() throws Exception {
    List<Freeable> made = java.util.Collections.synchronizedList(new ArrayList<>());
    ModelLoader<Freeable> freeing =
        new ModelLoader<>() {
          @Override
          public Freeable load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) {
            Freeable model = new Freeable();
            made.add(model);
            return model;
          }

          @Override
          public void dispose(Freeable model) {
            model.freed = true;
            model.frees.incrementAndGet();
          }
        };
    ModelSubscriber<Freeable> busy =
        new ModelSubscriber<>(subscription(), freeing, InstantSource.system());
    publish(1, "x");
    busy.refresh();
    AtomicBoolean done = new AtomicBoolean();
    AtomicInteger wrong = new AtomicInteger();
    AtomicInteger requests = new AtomicInteger();
    List<Thread> users = new ArrayList<>();
    for (int t = 0; t < 4; t++) {
      int seed = t;
      Thread user =
          new Thread(
              () -> {
                SplittableRandom random = new SplittableRandom(seed);
                while (!done.get()) {
                  try (ModelLease<Freeable> lease = busy.acquire()) {
                    for (int i = random.nextInt(2_000); i >= 0; i--) {
                      if (lease.model().freed) {
                        wrong.incrementAndGet();
                      }
                    }
                    requests.incrementAndGet();
                  }
                }
              });
      users.add(user);
      user.start();
    }
    for (int i = 2; i <= swaps(); i++) {
      publish(i, "x");
      try {
        busy.refresh();
      } catch (IOException allLeased) {
        assertThat(allLeased).hasMessageContaining("still leased");
      }
      if (i % 3 == 0) {
        busy.rollback();
      }
    }
    done.set(true);
    for (Thread user : users) {
      user.join();
    }
    busy.close();
    assertThat(wrong.get()).isZero();
    assertThat(requests.get()).isPositive();
    assertThat(made).hasSizeGreaterThan(20).allMatch(model -> model.frees.get() == 1);
  }

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(2))
        .until(condition);
  }
}
