package io.idlalayer.middleware.models.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Damaged versions, stale stores, loaders and notices that fail: what serves on, at any place. */
public abstract class SubscriberFaultsContract extends ModelSubscriberFixture {
  protected SubscriberFaultsContract(ModelPlace place) {
    super(place);
  }

  /** The wall clock is set, forward or back. */
  private void setClock(long byMillis) {
    nowMillis += byMillis;
    setMillis += byMillis;
  }

  private static ModelSubscriber.StalenessLimit limit(long millis, ModelSubscriber.WhenStale then) {
    return new ModelSubscriber.StalenessLimit(Duration.ofMillis(millis), then);
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
        Files.writeString(place.file(root, gone.file("model.zip")), "lost");
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
        Files.writeString(place.file(root, gone.file("model.zip")), "gone");
      }
    }
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
    Files.writeString(place.file(root, third.file("model.zip")), "thirD");
    assertThatThrownBy(subscriber::refresh).isInstanceOf(CorruptModelException.class);
    assertThat(serving()).isEqualTo("good");
    assertThat(subscriber.status().refused()).isEqualTo(2);
    assertThat(subscriber.status().lastError()).contains("SHA-256");
    publish(4, "fine");
    assertThat(subscriber.refresh()).isTrue();
    assertThat(subscriber.status().lastError()).isEmpty();
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
            new ModelSubscriber.Subscription(place.reader(root), "app", 0, Duration.ofMinutes(5)),
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

  private static void await(Callable<Boolean> condition) {
    Awaitility.await()
        .atMost(Duration.ofMinutes(2))
        .pollInterval(Duration.ofMillis(2))
        .until(condition);
  }
}
