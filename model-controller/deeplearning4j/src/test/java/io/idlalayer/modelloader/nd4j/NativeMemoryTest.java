package io.idlalayer.modelloader.nd4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.nd4j.linalg.api.memory.Deallocatable;
import org.nd4j.linalg.api.memory.Deallocator;
import org.nd4j.linalg.factory.Nd4j;

@Tag("natives")
class NativeMemoryTest {
  private static final Duration SOON = Duration.ofMinutes(2);
  private static final Duration THREE_GRACES = Duration.ofNanos(3 * NativeMemory.GRACE_NANOS);

  private static class FakeBuffer implements Deallocatable {
    private final String id = UUID.randomUUID().toString();
    private final Deallocator deallocator;

    FakeBuffer(Deallocator deallocator) {
      this.deallocator = deallocator;
    }

    @Override
    public String getUniqueId() {
      return id;
    }

    @Override
    public Deallocator deallocator() {
      return deallocator;
    }

    @Override
    public int targetDevice() {
      return 0;
    }
  }

  private static AtomicInteger abandoned() {
    AtomicInteger freed = new AtomicInteger();
    Nd4j.getDeallocatorService().pickObject(new FakeBuffer(freed::incrementAndGet));
    return freed;
  }

  private static boolean freedWithin(AtomicInteger freed, Duration limit) {
    return collectedWithin(() -> freed.get() > 0, limit);
  }

  /** Collects garbage until something is so or the time is over. */
  private static boolean collectedWithin(BooleanSupplier condition, Duration limit) {
    try {
      Awaitility.await()
          .atMost(limit)
          .pollInterval(Duration.ofMillis(5))
          .until(
              () -> {
                System.gc();
                return condition.getAsBoolean();
              });
      return true;
    } catch (ConditionTimeoutException never) {
      return false;
    }
  }

  /** What a thread that computes cannot reach any more may still be read by its operation. */
  @Test
  void begin_bufferCollectedMeanwhile_isKeptUntilTheOperationEnds() throws Exception {
    NativeMemory.begin();
    AtomicInteger freed = abandoned();
    AtomicInteger later;
    try {
      assertThat(freedWithin(freed, THREE_GRACES)).isFalse();
      NativeMemory.begin();
      NativeMemory.end();
      assertThat(freedWithin(freed, SOON)).isTrue();
      later = abandoned();
    } finally {
      NativeMemory.end();
    }
    assertThat(freedWithin(later, SOON)).isTrue();
  }

  @Test
  void begin_noSectionIsOpen_buffersAreFreed() throws Exception {
    NativeMemory.begin();
    NativeMemory.end();
    assertThat(freedWithin(abandoned(), SOON)).isTrue();
    assertThat(Nd4j.scalar(1f).getFloat(0)).isEqualTo(1f);
  }

  @Test
  void begin_aBufferThatCannotBeFreed_doesNotKeepTheOthers() throws Exception {
    NativeMemory.begin();
    NativeMemory.end();
    Nd4j.getDeallocatorService()
        .pickObject(
            new FakeBuffer(
                () -> {
                  throw new IllegalStateException("injected: it cannot be freed");
                }));
    assertThat(freedWithin(abandoned(), SOON)).isTrue();
    assertThat(freedWithin(abandoned(), SOON)).isTrue();
  }

  /** Like ND4J's workspaces, of which each update makes three. */
  @Test
  void begin_aBufferWhoseIdChanges_isForgotten() {
    NativeMemory.begin();
    NativeMemory.end();
    AtomicInteger freed = new AtomicInteger();
    Deallocator deallocator = freed::incrementAndGet;
    Nd4j.getDeallocatorService()
        .pickObject(
            new FakeBuffer(deallocator) {
              @Override
              public String getUniqueId() {
                return UUID.randomUUID().toString();
              }
            });
    WeakReference<Deallocator> held = new WeakReference<>(deallocator);
    deallocator = null;
    assertThat(freedWithin(freed, SOON)).isTrue();
    assertThat(collectedWithin(() -> held.get() == null, SOON))
        .as("what only ND4J's table knew is collected")
        .isTrue();
  }
}
