package io.idlalayer.middleware.memory.object;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.copy.MoveReceipt;
import io.idlalayer.middleware.memory.device.StaleRegionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Parts of regions, and copies between them. */
class ByteRangeTest {
  private final TieredMemory memory = Tiers.of(1000, 1000, new RealClock());

  @AfterEach
  void theBooksHold() {
    assertThat(memory.verify().problems()).isEmpty();
    memory.close();
  }

  @ParameterizedTest
  @CsvSource({
    "-1, 5",
    "0, 0",
    "0, -1",
    "0, 301",
    "300, 1",
    "200, 101",
    "9223372036854775807, 1",
    "1, 9223372036854775807",
    "-9223372036854775808, 9223372036854775807"
  })
  void whatIsNotInTheRegion_isRefused(long offset, long bytes) {
    Region region = Tiers.make(memory, FAST, 300).primary();
    assertThatThrownBy(() -> new ByteRange(region, offset, bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("%d bytes from %d".formatted(bytes, offset));
  }

  @Test
  void aPart_isCopied_andNothingElse() throws Exception {
    MemObject from = Tiers.make(memory, SLOW, 300);
    MemObject to = Tiers.make(memory, FAST, 400);
    byte[] source = new byte[300];
    for (int i = 0; i < source.length; i++) {
      source[i] = (byte) (i * 7 + 1);
    }
    Tiers.fill(memory, from, source);
    Tiers.fill(memory, to, 0);
    try (ReadLease reading = memory.read(from);
        WriteLease writing = memory.write(to)) {
      MoveReceipt receipt =
          memory.await(
              memory.copyInBackground(
                  new ByteRange(writing.region(), 33, 201),
                  new ByteRange(reading.region(), 99, 201)));
      assertThat(receipt.bytes()).isEqualTo(201);
    }
    byte[] expected = new byte[400];
    System.arraycopy(source, 99, expected, 33, 201);
    assertThat(Tiers.read(memory, to)).isEqualTo(expected);
    assertThat(memory.traffic().bytes(SLOW, FAST)).isEqualTo(201);
    assertThat(memory.traffic().bytes(FAST, SLOW)).isZero();
  }

  @Test
  void unequalLengths_areRefused() {
    Region from = Tiers.make(memory, SLOW, 300).primary();
    Region to = Tiers.make(memory, FAST, 300).primary();
    assertThatThrownBy(
            () -> memory.copyInBackground(new ByteRange(to, 0, 10), new ByteRange(from, 0, 11)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("11 bytes cannot be copied to 10");
    assertThat(memory.traffic().bytes(SLOW, FAST)).isZero();
  }

  @Test
  void regionsWithoutAnObject_areRefused() throws Exception {
    MemObject object = Tiers.make(memory, SLOW, 300);
    Region live = object.primary();
    MemObject retired = Tiers.make(memory, FAST, 300);
    Region gone = retired.primary();
    memory.retire(retired);
    Region inFlight = memory.allocate(FAST, 300).orElseThrow();
    for (Region region : new Region[] {gone, inFlight}) {
      ByteRange stale = new ByteRange(region, 0, 10);
      ByteRange good = new ByteRange(live, 0, 10);
      assertThatThrownBy(() -> memory.copyInBackground(stale, good))
          .isInstanceOf(StaleRegionException.class);
      assertThatThrownBy(() -> memory.copyInBackground(good, stale))
          .isInstanceOf(StaleRegionException.class);
    }
    memory.free(inFlight);
  }
}
