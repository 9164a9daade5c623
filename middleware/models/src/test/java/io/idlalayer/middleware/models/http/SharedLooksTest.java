package io.idlalayer.middleware.models.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Looks of many at one store. */
final class SharedLooksTest {
  private static final ApplicationPartition CLICKS = new ApplicationPartition("clicks", 0);
  private static final Duration AGE = Duration.ofMillis(250);

  private final FakeStore store = new FakeStore();
  private final AtomicLong nanos = new AtomicLong();
  private final SharedLooks looks = new SharedLooks(store, AGE, nanos::get);

  private interface Step {
    void run() throws IOException;
  }

  /** Counts looks; the pointer names how many there were. */
  private static final class FakeStore implements ModelSource {
    final AtomicInteger asked = new AtomicInteger();
    volatile Step before = () -> {};
    volatile boolean published = true;
    volatile int bytes = 1;

    private Optional<StoredPointer> look() throws IOException {
      int number = asked.incrementAndGet();
      before.run();
      String text = " ".repeat(bytes - 1) + number;
      return published
          ? Optional.of(new StoredPointer("there", text.getBytes(StandardCharsets.UTF_8)))
          : Optional.empty();
    }

    @Override
    public String address() {
      return "store";
    }

    @Override
    public SortedMap<String, List<Integer>> applications() {
      return new TreeMap<>();
    }

    @Override
    public List<Long> versions(ApplicationPartition of) {
      return List.of();
    }

    @Override
    public Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException {
      return look();
    }

    @Override
    public Optional<StoredPointer> pin(ApplicationPartition of) throws IOException {
      return look();
    }

    @Override
    public Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException {
      return look();
    }

    @Override
    public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
        throws IOException {
      return look().orElseThrow().content();
    }

    @Override
    public SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException {
      return new TreeMap<>(java.util.Map.of("model.zip", (long) look().orElseThrow().content()[0]));
    }

    @Override
    public InputStream open(ApplicationPartition of, long version, ModelFile file, long from) {
      return InputStream.nullInputStream();
    }
  }

  private String pointer() throws IOException {
    byte[] content = looks.pointer(CLICKS).orElseThrow().content();
    return new String(content, StandardCharsets.UTF_8).strip();
  }

  @Test
  void looks_withinTheTime_areOne() throws IOException {
    assertThat(pointer()).isEqualTo("1");
    nanos.addAndGet(AGE.toNanos());
    assertThat(pointer()).isEqualTo("1");
    nanos.addAndGet(1);
    assertThat(pointer()).isEqualTo("2");
    assertThat(store.asked).hasValue(2);
  }

  @Test
  void looks_atDifferentThings_areApart() throws IOException {
    looks.pointer(CLICKS);
    looks.pin(CLICKS);
    looks.aliases(CLICKS);
    looks.pointer(new ApplicationPartition("clicks", 1));
    looks.manifest(CLICKS, 1, null);
    looks.manifest(CLICKS, 2, null);
    looks.files(CLICKS, 1);
    assertThat(store.asked).hasValue(7);
    looks.aliases(CLICKS);
    looks.manifest(CLICKS, 2, null);
    looks.files(CLICKS, 1);
    assertThat(store.asked).hasValue(7);
  }

  @Test
  void manifest_changedByWhoeverGotIt_isNotChangedForOthers() throws IOException {
    looks.manifest(CLICKS, 1, null)[0] = 0;
    assertThat(looks.manifest(CLICKS, 1, null)).isEqualTo(new byte[] {'1'});
  }

  @Test
  void nothing_thereYet_isKnownForAsLong() throws IOException {
    store.published = false;
    assertThat(looks.pointer(CLICKS)).isEmpty();
    store.published = true;
    assertThat(looks.pointer(CLICKS)).isEmpty();
    nanos.addAndGet(AGE.toNanos() + 1);
    assertThat(pointer()).isEqualTo("2");
  }

  @Test
  void age_countsFromTheBeginningOfASlowLook() throws IOException {
    store.before = () -> nanos.addAndGet(AGE.toNanos() + 1);
    assertThat(pointer()).isEqualTo("1");
    assertThat(pointer()).isEqualTo("2");
  }

  @Test
  void failure_isNotKept() throws IOException {
    store.before =
        () -> {
          throw new IOException("no answer");
        };
    assertThatThrownBy(this::pointer).hasMessage("no answer");
    store.before =
        () -> {
          throw new IllegalStateException("broken");
        };
    assertThatThrownBy(this::pointer).hasMessage("broken");
    store.before = () -> {};
    assertThat(pointer()).isEqualTo("3");
  }

  @Test
  void answer_thatIsLarge_isNotKept() throws IOException {
    store.bytes = 1 << 20;
    assertThat(pointer()).isEqualTo("1");
    assertThat(pointer()).isEqualTo("2");
  }

  /** Lets many look while the first look is under way. */
  private CompletableFuture<?> lookAtOnce(int threads, AtomicInteger same, AtomicInteger failed) {
    CompletableFuture<?>[] all = new CompletableFuture<?>[threads];
    for (int i = 0; i < threads; i++) {
      CompletableFuture<Void> done = new CompletableFuture<>();
      Thread thread =
          new Thread(
              () -> {
                try {
                  if (pointer().equals("1")) {
                    same.incrementAndGet();
                  }
                } catch (IOException refused) {
                  failed.incrementAndGet();
                }
                done.complete(null);
              });
      thread.setDaemon(true);
      thread.start();
      Awaitility.await()
          .until(() -> store.asked.get() > 0 && thread.getState() == Thread.State.WAITING);
      all[i] = done;
    }
    return CompletableFuture.allOf(all);
  }

  @Test
  void looks_atOnce_shareOneAndItsFailure() throws Exception {
    for (boolean fails : new boolean[] {false, true}) {
      nanos.addAndGet(AGE.toNanos() + 1);
      store.asked.set(0);
      CountDownLatch answer = new CountDownLatch(1);
      store.before =
          () -> {
            try {
              answer.await();
            } catch (InterruptedException impossible) {
              throw new IOException(impossible);
            }
            if (fails) {
              throw new IOException("no answer");
            }
          };
      AtomicInteger same = new AtomicInteger();
      AtomicInteger failed = new AtomicInteger();
      CompletableFuture<?> all = lookAtOnce(8, same, failed);
      answer.countDown();
      all.get(1, TimeUnit.MINUTES);
      assertThat(store.asked).hasValue(1);
      assertThat(same).hasValue(fails ? 0 : 8);
      assertThat(failed).hasValue(fails ? 8 : 0);
    }
  }

  @Test
  void look_whoseThreadIsInterrupted_isDoneByAnother() throws Exception {
    CountDownLatch answer = new CountDownLatch(1);
    store.before =
        () -> {
          if (store.asked.get() == 1) {
            try {
              answer.await();
            } catch (InterruptedException impossible) {
              throw new IOException(impossible);
            }
            throw new InterruptedIOException("the client took too long");
          }
        };
    AtomicInteger failed = new AtomicInteger();
    CompletableFuture<?> all = lookAtOnce(4, new AtomicInteger(), failed);
    answer.countDown();
    all.get(1, TimeUnit.MINUTES);
    assertThat(store.asked).hasValue(2);
    assertThat(failed).hasValue(1);
  }
}
