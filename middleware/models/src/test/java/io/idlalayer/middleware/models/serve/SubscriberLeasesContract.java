package io.idlalayer.middleware.models.serve;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/** Leases of models, which are freed when nothing uses them, at any place. */
public abstract class SubscriberLeasesContract extends ModelSubscriberFixture {
  protected SubscriberLeasesContract(ModelPlace place) {
    super(place);
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
    for (int i = 2; i <= place.swaps(); i++) {
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
}
