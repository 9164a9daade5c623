package io.idlalayer.middleware.lending.lender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.idlalayer.middleware.lending.wire.LoanId;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LentMemoryTest {
  private static final long LEASE = 1_000;

  private final AtomicLong now = new AtomicLong(Long.MAX_VALUE - 10);
  private final AtomicLong names = new AtomicLong();
  private final LentMemory memory =
      new LentMemory(64, 16, LEASE, now::get, () -> new LoanId(0, names.incrementAndGet()));

  private static ByteBuffer bytes(int... values) {
    ByteBuffer bytes = ByteBuffer.allocate(values.length);
    for (int value : values) {
      bytes.put((byte) value);
    }
    return bytes.flip();
  }

  private byte[] read(LoanId loan, long offset, int count) throws UnknownLoanException {
    ByteBuffer target = ByteBuffer.allocate(count);
    memory.get(loan, offset, target);
    return target.array();
  }

  @Test
  void lend_roundsUpToUnits_andRefusesMoreThanThereIs() throws Exception {
    LoanId first = memory.lend(17);
    assertThat(memory.lentBytes()).isEqualTo(32);
    memory.lend(32);
    assertThatThrownBy(() -> memory.lend(1))
        .isInstanceOf(NoRoomException.class)
        .hasMessageContaining("0 of 64 are free");
    memory.giveBack(first);
    assertThat(memory.loans()).isEqualTo(1);
    memory.lend(1);
    for (long wrong : new long[] {0, -1, Long.MIN_VALUE, Long.MAX_VALUE}) {
      assertThatThrownBy(() -> memory.lend(wrong)).isInstanceOf(NoRoomException.class);
    }
  }

  @Test
  void bytes_acrossUnits_areThoseThatWereWritten() throws Exception {
    LoanId loan = memory.lend(40);
    memory.put(loan, 14, bytes(1, 2, 3, 4));
    assertThat(read(loan, 13, 6)).containsExactly(0, 1, 2, 3, 4, 0);
    for (long[] wrong : new long[][] {{37, 4}, {40, 1}, {-1, 1}, {Long.MAX_VALUE, 4}}) {
      assertThatThrownBy(() -> read(loan, wrong[0], (int) wrong[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
      assertThatThrownBy(() -> memory.put(loan, wrong[0], ByteBuffer.allocate((int) wrong[1])))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void lease_unused_endsAfterItsTimeAlsoWhenTheClockOverflows() throws Exception {
    LoanId used = memory.lend(16);
    LoanId renewed = memory.lend(16);
    LoanId left = memory.lend(16);
    now.addAndGet(LEASE - 1);
    memory.put(used, 0, bytes(7));
    memory.renew(renewed);
    now.addAndGet(1);
    assertThat(memory.expire()).isEqualTo(1);
    assertThatThrownBy(() -> read(left, 0, 1)).isInstanceOf(UnknownLoanException.class);
    assertThatThrownBy(() -> memory.giveBack(left)).isInstanceOf(UnknownLoanException.class);
    assertThat(read(used, 0, 1)).containsExactly(7);
    memory.renew(renewed);
    now.addAndGet(LEASE);
    assertThatThrownBy(() -> memory.renew(renewed)).isInstanceOf(UnknownLoanException.class);
  }

  @Test
  void lend_whileTheSystemIsSlow_letsOtherLoansBeRenewed() throws Exception {
    CountDownLatch asked = new CountDownLatch(1);
    CountDownLatch given = new CountDownLatch(1);
    LentMemory slow =
        new LentMemory(
            64,
            16,
            LEASE,
            now::get,
            () -> new LoanId(0, names.incrementAndGet()),
            bytes -> {
              if (names.get() > 0) {
                asked.countDown();
                assertThatCode(given::await).doesNotThrowAnyException();
              }
              return ByteBuffer.allocateDirect(bytes);
            });
    LoanId first = slow.lend(16);
    CompletableFuture<LoanId> second =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return slow.lend(48);
              } catch (NoRoomException full) {
                throw new CompletionException(full);
              }
            });
    asked.await();
    assertTimeoutPreemptively(Duration.ofSeconds(30), () -> slow.renew(first));
    assertThatThrownBy(() -> slow.lend(1)).isInstanceOf(NoRoomException.class);
    given.countDown();
    slow.renew(second.join());
    assertThat(slow.lentBytes()).isEqualTo(64);
  }

  @Test
  void lend_withoutMemoryOfTheSystem_leavesTheCountsAsTheyWere() throws Exception {
    AtomicInteger left = new AtomicInteger(3);
    LentMemory small =
        new LentMemory(
            64,
            16,
            LEASE,
            now::get,
            () -> new LoanId(0, names.incrementAndGet()),
            bytes -> {
              if (left.getAndDecrement() <= 0) {
                throw new OutOfMemoryError("of a test");
              }
              return ByteBuffer.allocateDirect(bytes);
            });
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> small.lend(64))
          .isInstanceOf(NoRoomException.class)
          .hasMessageContaining("no more memory");
      assertThatThrownBy(small::acquireAll).isInstanceOf(NoRoomException.class);
      assertThat(small.lentBytes()).isZero();
      assertThat(small.loans()).isZero();
    }
    small.lend(48);
    left.set(1);
    small.lend(16);
    assertThat(small.lentBytes()).isEqualTo(64);
  }

  @Test
  void nextLoan_ofTheSameUnits_seesNoBytesOfTheLast() throws Exception {
    LoanId first = memory.lend(64);
    memory.put(first, 0, ByteBuffer.wrap(new byte[64]).put(3, (byte) 9).put(60, (byte) 9));
    memory.giveBack(first);
    assertThat(read(memory.lend(64), 0, 64)).containsOnly(0);
  }
}
