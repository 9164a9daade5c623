package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.object.Tiers;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Short transfers, failures and interrupts of a file past the page cache. */
final class FileArenaFaultTest extends ArenaCopyContract {
  private static final int BLOCK = BlockFile.BLOCK_BYTES;

  private final BlockFile file = new BlockFile(Integer.MAX_VALUE);

  @Override
  Arena open(DeviceSpec spec, int pieceBytes) {
    return file.open(spec);
  }

  @Test
  void put_ofWholeBlocksOrUnwrittenOnes_readsNothing() {
    arena().put(BLOCK, bytes(1, 5 * BLOCK));
    arena().put(7 * BLOCK, bytes(1, BLOCK + 3));
    arena().put(7 * BLOCK, bytes(1, BLOCK + 3));
    assertThat(file.reads).as("the end of a tensor covers its last block partly").hasValue(0);
    arena().put(7 * BLOCK, bytes(1, BLOCK + 2));
    assertThat(file.reads).as("the byte behind it must be kept").hasValue(1);
    arena().discard(7 * BLOCK, 2 * BLOCK);
    arena().put(7 * BLOCK + 9, bytes(1, 3));
    assertThat(file.reads).as("nothing must be kept").hasValue(1);
  }

  @Test
  void discard_ofPartsOfBlocks_keepsTheirNeighbours() {
    arena().put(0, bytes(1, 3 * BLOCK));
    arena().discard(10, 2 * BLOCK);
    arena().put(10, bytes(70, 4));
    assertThat(copy(arena(), 0, 10)).isEqualTo(bytes(1, 10));
    arena().put(2 * BLOCK + 5, bytes(80, 1));
    assertThat(copy(arena(), 2 * BLOCK + 10, BLOCK - 10)).isEqualTo(bytes(1 + 138, BLOCK - 10));
  }

  @Test
  void aFullDisk_isNoticedWhenTheFileIsMade() {
    BlockFile small = new BlockFile(10 * BLOCK);
    assertThatThrownBy(() -> small.open(Tiers.slow(11 * BLOCK)))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("No space left on device")
        .hasMessageContaining("704 bytes past the page cache");
    assertThat(small.isOpen()).isFalse();
    assertThat(small.size()).as("what was written is given back").isZero();
  }

  @Test
  void aFileOfTooManyBlocks_isClosedWhenItIsRefused() {
    BlockFile large = new BlockFile(10 * BLOCK);
    long blocks = Integer.MAX_VALUE + 2L;
    assertThatThrownBy(() -> large.open(Tiers.slow(blocks * BLOCK)))
        .isInstanceOf(ArithmeticException.class);
    assertThat(large.isOpen()).isFalse();
  }

  @Test
  void aMediumThatFails_isNamed_andWorksAgainAfterwards() {
    arena().put(0, bytes(1, 100));
    file.failure = "Input/output error";
    assertThatThrownBy(() -> arena().put(0, bytes(2, 100)))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("device device: writing 100 bytes at offset 0")
        .hasMessageContaining("Input/output error");
    assertThatThrownBy(() -> arena().get(50, ByteBuffer.allocate(10)))
        .isInstanceOf(DeviceFailureException.class)
        .hasMessageContaining("reading 10 bytes at offset 50");
    file.failure = null;
    for (int i = 0; i < 2 * DirectTransfers.MOST; i++) {
      arena().put(i, bytes(3, 100));
    }
    assertThat(copy(arena(), 2 * DirectTransfers.MOST - 1, 100)).isEqualTo(bytes(3, 100));
  }

  @Test
  void anInterrupt_inTheMiddleOfACopy_neitherEndsItNorClosesTheFile() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch interrupted = new CountDownLatch(1);
    AtomicBoolean pending = new AtomicBoolean();
    file.before =
        () -> {
          begun.countDown();
          awaitUnlessInterrupted(interrupted);
        };
    Thread copier =
        new Thread(
            () -> {
              arena().put(0, bytes(1, 5 * BLOCK));
              pending.set(Thread.currentThread().isInterrupted());
            });
    copier.start();
    begun.await();
    copier.interrupt();
    interrupted.countDown();
    copier.join();
    assertThat(pending).as("the interrupt stays pending").isTrue();
    file.before = () -> {};
    assertThat(copy(arena(), 0, 5 * BLOCK)).isEqualTo(bytes(1, 5 * BLOCK));
    assertThat(file.isOpen()).isTrue();
  }

  private static void awaitUnlessInterrupted(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void close_duringACopy_endsItAsStale() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch closed = new CountDownLatch(1);
    AtomicBoolean stale = new AtomicBoolean();
    file.before =
        () -> {
          begun.countDown();
          awaitUnlessInterrupted(closed);
        };
    Thread copier =
        new Thread(
            () -> {
              try {
                arena().put(0, bytes(1, 8 * BLOCK));
              } catch (StaleRegionException e) {
                stale.set(true);
              }
            });
    copier.start();
    begun.await();
    arena().close();
    closed.countDown();
    copier.join();
    assertThat(stale).isTrue();
  }
}
