package io.idlalayer.middleware.lending.borrower;

import static io.idlalayer.middleware.lending.borrower.LentTiers.CRAWLING;
import static io.idlalayer.middleware.lending.borrower.LentTiers.SECRET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.memory.device.DeviceLostException;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.memory.places.Place;
import io.idlalayer.middleware.memory.places.PlaceCost;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A place in the memory of a real lender, over a socket. */
class BorrowedPlaceTest {
  private static final int BYTES = 1 << 18;
  private static final Duration LEASE = Duration.ofMinutes(1);

  private static final BorrowerSettings HASTY =
      new BorrowerSettings(
          SECRET,
          null,
          Duration.ofSeconds(2),
          Duration.ofSeconds(2),
          Duration.ofSeconds(5),
          new BorrowerSettings.Pauses(Duration.ofMillis(100), Duration.ofMillis(200)));

  private MemoryLender lender;
  private final Borrower borrower = new Borrower(HASTY);

  BorrowedPlaceTest() throws IOException {
    lender = LentTiers.lender(4 * BYTES, LEASE);
  }

  @AfterEach
  void close() throws IOException {
    borrower.close();
    lender.close();
  }

  private Place borrowed() {
    Place place = borrower.place(LentTiers.address(lender), BYTES, new PlaceCost(CRAWLING));
    await().atMost(Tiers.PATIENCE).until(place.usable()::getAsBoolean);
    return place;
  }

  private static byte[] read(Place place, long offset, int count) {
    ByteBuffer target = ByteBuffer.allocateDirect(count);
    place.arena().get(offset, target);
    byte[] bytes = new byte[count];
    target.flip().get(bytes);
    return bytes;
  }

  private static void write(Place place, long offset, byte[] bytes) {
    ByteBuffer source = ByteBuffer.wrap(bytes);
    long at = offset;
    while (source.hasRemaining()) {
      at += place.arena().put(at, source);
    }
  }

  @Test
  void bytes_writtenAndDiscardedAtRandom_areThoseOfAnArray() {
    Place place = borrowed();
    byte[] expected = new byte[BYTES];
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 2_000; i++) {
      int offset = random.nextInt(BYTES);
      int count = Math.min(BYTES - offset, random.nextInt(random.nextInt(8) == 0 ? 50_000 : 5_000));
      switch (random.nextInt(5)) {
        case 0 -> {
          int from = (offset + 4095) / 4096 * 4096;
          int to = (offset + count) / 4096 * 4096;
          place.arena().discard(offset, count);
          if (from < to) {
            Arrays.fill(expected, from, to, (byte) 0);
          }
        }
        case 1, 2 -> {
          byte[] bytes = new byte[count];
          random.nextBytes(bytes);
          write(place, offset, bytes);
          System.arraycopy(bytes, 0, expected, offset, count);
        }
        default ->
            assertThat(read(place, offset, count))
                .isEqualTo(Arrays.copyOfRange(expected, offset, offset + count));
      }
    }
    assertThat(read(place, 0, BYTES)).isEqualTo(expected);
    place.arena().close();
    await().atMost(Tiers.PATIENCE).until(() -> lender.use().lentBytes() == 0);
  }

  @Test
  void loans_takenUsedAndLost_areCounted() throws Exception {
    Place place = borrowed();
    assertThat(lender.use().borrowers().values()).containsExactly((long) BYTES);
    write(place, 0, new byte[10_000]);
    read(place, 5_000, 1_000);
    LoanUse use = borrower.loans().get(0);
    assertThat(use.lender()).isEqualTo(LentTiers.address(lender));
    assertThat(use.bytes()).isEqualTo(BYTES);
    assertThat(use.copiedBytes()).isEqualTo(11_000);
    assertThat(use.taken()).isEqualTo(1);
    assertThat(use.losses()).isZero();
    assertThat(use.roundTripNanos()).isPositive().isEqualTo(place.cost().roundTripNanos());
    lender.close();
    assertThatThrownBy(() -> read(place, 0, 3)).isInstanceOf(DeviceLostException.class);
    use = borrower.loans().get(0);
    assertThat(use.bytes()).isZero();
    assertThat(use.losses()).isEqualTo(1);
    assertThat(use.roundTripNanos()).as("what the last probe found").isPositive();
  }

  @Test
  void loan_thatIsNotCheaper_isKeptIfLentPlacesComeFirst() {
    PlaceCost fast = new PlaceCost(DeviceSpeed.symmetric(1e15, 0));
    Place refused = borrower.place(LentTiers.address(lender), BYTES, fast);
    Place first = borrower.place(LentTiers.address(lender), BYTES, fast, PlaceOrder.LENT_FIRST);
    await().atMost(Tiers.PATIENCE).until(first.usable()::getAsBoolean);
    await()
        .atMost(Tiers.PATIENCE)
        .until(
            () ->
                borrower.loans().size() == 2
                    && borrower.loans().get(0).roundTripNanos() > 0
                    && borrower.loans().get(1).bytes() > 0);
    assertThat(refused.usable().getAsBoolean()).isFalse();
    assertThat(borrower.loans().get(0).bytes()).as("too slow").isZero();
  }

  @Test
  void put_largerThanARequest_isTakenInParts() throws Exception {
    lender.close();
    lender = LentTiers.lender(16 << 20, LEASE);
    Place place = borrower.place(LentTiers.address(lender), 8 << 20, new PlaceCost(CRAWLING));
    await().atMost(Tiers.PATIENCE).until(place.usable()::getAsBoolean);
    byte[] bytes = new byte[(5 << 20) + 3];
    new SplittableRandom(3).nextBytes(bytes);
    write(place, 4096 + 17, bytes);
    assertThat(read(place, 4096 + 17, bytes.length)).isEqualTo(bytes);
  }

  @Test
  void lenderStartedAnew_isALostLender_andIsUsedAgainLater() throws Exception {
    Place place = borrowed();
    write(place, 0, new byte[] {1, 2, 3});
    int port = lender.address().getPort();
    lender.close();
    lender = MemoryLender.start(LentTiers.settings(port, 4 * BYTES, LEASE));
    assertThatThrownBy(() -> read(place, 0, 3)).isInstanceOf(DeviceLostException.class);
    await().atMost(Tiers.PATIENCE).until(place.usable()::getAsBoolean);
    assertThatThrownBy(() -> read(place, 0, 3))
        .as("bytes of the lost loan")
        .isInstanceOf(DeviceLostException.class);
    assertThat(place.usable().getAsBoolean()).as("the new loan is not to blame").isTrue();
    place.arena().discard(0, BYTES);
    write(place, 1, new byte[] {4});
    assertThat(read(place, 0, 3)).containsExactly(0, 4, 0);
  }

  @Test
  void leaseThatExpired_isALostLender() throws Exception {
    lender.close();
    lender = LentTiers.lender(BYTES, Duration.ofMillis(40));
    // The borrower looks each 100 ms only, so this lease passes in between.
    Place place = borrower.place(LentTiers.address(lender), BYTES, new PlaceCost(CRAWLING));
    await().atMost(Tiers.PATIENCE).until(() -> written(place));
    await()
        .atMost(Tiers.PATIENCE)
        .pollInterval(Duration.ofMillis(5))
        .until(() -> lender.use().loans() == 0);
    assertThatThrownBy(() -> read(place, 0, 3)).isInstanceOf(DeviceLostException.class);
  }

  private static boolean written(Place place) {
    try {
      write(place, 0, new byte[] {1, 2, 3});
      return true;
    } catch (DeviceLostException notNow) {
      return false;
    }
  }

  @Test
  void leaseOfTheUsualKind_isRenewedWithoutUse() throws Exception {
    lender.close();
    lender = LentTiers.lender(BYTES, Duration.ofMillis(1_500));
    Place place = borrowed();
    write(place, 0, new byte[] {1, 2, 3});
    await()
        .during(Duration.ofSeconds(3))
        .atMost(Tiers.PATIENCE)
        .until(place.usable()::getAsBoolean);
    assertThat(read(place, 0, 3)).containsExactly(1, 2, 3);
  }

  @Test
  void lenderThatIsSlowerThanTheLocalPlace_getsItsLoanBack() {
    Place place =
        borrower.place(
            LentTiers.address(lender), BYTES, new PlaceCost(DeviceSpeed.symmetric(1e12, 0)));
    await()
        .during(Duration.ofSeconds(1))
        .atMost(Tiers.PATIENCE)
        .until(() -> !place.usable().getAsBoolean());
    await().atMost(Tiers.PATIENCE).until(() -> lender.use().lentBytes() == 0);
  }

  @Test
  void lenderWithoutRoom_isNotUsed_untilItHasRoom() throws Exception {
    Place first = borrower.place(LentTiers.address(lender), 4 * BYTES, new PlaceCost(CRAWLING));
    await().atMost(Tiers.PATIENCE).until(first.usable()::getAsBoolean);
    Place second = borrower.place(LentTiers.address(lender), BYTES, new PlaceCost(CRAWLING));
    await()
        .during(Duration.ofMillis(500))
        .atMost(Tiers.PATIENCE)
        .until(() -> !second.usable().getAsBoolean());
    assertThatThrownBy(() -> write(second, 0, new byte[1])).isInstanceOf(DeviceLostException.class);
    first.arena().close();
    await().atMost(Tiers.PATIENCE).until(second.usable()::getAsBoolean);
  }

  @Test
  void lenderWithAnotherSecret_isNotUsed() throws Exception {
    lender.close();
    LenderSettings settings =
        LenderSettings.of(lender.address(), new Secret("another secret of a test"), null, 16 << 20);
    lender = MemoryLender.start(settings);
    Place place = borrower.place(LentTiers.address(lender), BYTES, new PlaceCost(CRAWLING));
    await()
        .during(Duration.ofMillis(500))
        .atMost(Tiers.PATIENCE)
        .until(() -> !place.usable().getAsBoolean() && lender.use().loans() == 0);
  }

  @Test
  void view_ofABorrowedByte_isRefusedInWords() {
    Place place = borrowed();
    assertThatThrownBy(() -> place.arena().view(0, 1))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("can only be copied");
    for (long[] wrong : new long[][] {{-1, 1}, {BYTES, 1}, {BYTES - 1, 2}, {Long.MAX_VALUE, 1}}) {
      assertThatThrownBy(() -> read(place, wrong[0], (int) wrong[1]))
          .isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThat(place.arena().put(BYTES, ByteBuffer.allocate(0))).isZero();
  }
}
