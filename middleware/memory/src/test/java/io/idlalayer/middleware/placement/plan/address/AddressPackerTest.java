package io.idlalayer.middleware.placement.plan.address;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.plan.PlanRefusedException;
import io.idlalayer.middleware.placement.plan.address.AddressPacker.Space;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.statistics.Statistics;
import org.junit.jupiter.api.Test;

class AddressPackerTest {
  private static final int TRIES = 15;

  private static void noEnd() {}

  private static Space onePiece(long bytes) {
    return new Space(bytes, bytes);
  }

  private static BitSet kernels(Stay stay, int count) {
    BitSet kernels = new BitSet();
    for (int i = 0; i < stay.length(); i++) {
      kernels.set((stay.first() + i) % count);
    }
    return kernels;
  }

  /** By size alone the stay of 4 goes to offset 0, and that of 6 then finds 5 and 1. */
  @Test
  void pack_orderThatFails_isTriedInAnotherOrder() {
    List<Stay> stays =
        List.of(
            new Stay(0, 4, 0, 3), new Stay(1, 6, 0, 1), new Stay(2, 6, 2, 1), new Stay(3, 3, 1, 2));
    AddressPacker.Packed packed =
        AddressPacker.pack(stays, 4, onePiece(13), TRIES, AddressPackerTest::noEnd);
    assertThat(packed.fits()).isTrue();
    assertThat(packed.offsets()[0]).isIn(0L, 6L, 9L);
  }

  @Test
  void pack_stayAcrossTheEndOfTheStep_meetsThoseAtItsBeginning() {
    List<Stay> stays = List.of(new Stay(0, 4, 3, 2), new Stay(1, 4, 0, 1), new Stay(2, 4, 1, 2));
    AddressPacker.Packed packed =
        AddressPacker.pack(stays, 4, onePiece(8), TRIES, AddressPackerTest::noEnd);
    assertThat(packed.fits()).isTrue();
    assertThat(packed.offsets()[0]).isNotEqualTo(packed.offsets()[1]);
    assertThat(AddressPacker.pack(stays, 4, onePiece(7), TRIES, AddressPackerTest::noEnd).crowded())
        .isEqualTo(kernels(stays.get(1), 4));
  }

  @Test
  void pack_moreBytesThanTheDevice_namesTheKernels() {
    List<Stay> stays = List.of(new Stay(0, 5, 0, 3), new Stay(1, 5, 2, 2));
    assertThat(
            AddressPacker.pack(stays, 4, onePiece(9), TRIES, AddressPackerTest::noEnd)
                .crowded()
                .stream())
        .containsExactly(2);
  }

  /** The third of them would lie at 6 to 9. */
  @Test
  void pack_deviceInPieces_noStayCrossesTheEndOfOne() {
    List<Stay> stays = List.of(new Stay(0, 3, 0, 1), new Stay(1, 3, 0, 1), new Stay(2, 3, 0, 1));
    AddressPacker.Packed packed =
        AddressPacker.pack(stays, 1, new Space(11, 8), TRIES, AddressPackerTest::noEnd);
    assertThat(packed.fits()).isTrue();
    assertThat(packed.offsets()).containsExactlyInAnyOrder(0, 3, 8);
    assertThat(
            AddressPacker.pack(stays, 1, new Space(10, 8), TRIES, AddressPackerTest::noEnd).fits())
        .isFalse();
    assertThat(
            AddressPacker.pack(stays, 1, new Space(100, 2), TRIES, AddressPackerTest::noEnd).fits())
        .isFalse();
  }

  /** Three stays that never fit are placed again and again. */
  @Test
  void pack_timeIsOver_isTheBestSoFar() {
    List<Stay> stays = List.of(new Stay(0, 3, 0, 1), new Stay(1, 3, 0, 1), new Stay(2, 3, 0, 1));
    AtomicInteger checks = new AtomicInteger();
    Runnable end =
        () -> {
          if (checks.incrementAndGet() > 5) {
            throw new PlanRefusedException("late");
          }
        };
    Space space = new Space(10, 8);
    AddressPacker.Packed packed = AddressPacker.pack(stays, 1, space, TRIES, end);
    assertThat(checks).as("one for each stay that is placed").hasValue(6);
    assertThat(packed.fits()).isFalse();
    checks.set(3);
    assertThatThrownBy(() -> AddressPacker.pack(stays, 1, space, TRIES, end))
        .isInstanceOf(PlanRefusedException.class);
  }

  /** Their comparison would take minutes. */
  @Test
  void pack_tooManyStays_isRefused() {
    int many = 100_000;
    List<Stay> stays = IntStream.range(0, many).mapToObj(i -> new Stay(i, 1, i % 10, 1)).toList();
    assertThatThrownBy(
            () ->
                AddressPacker.pack(stays, 10, onePiece(many / 10), TRIES, AddressPackerTest::noEnd))
        .isInstanceOf(PlanRefusedException.class)
        .hasMessageContaining("too many");
  }

  @Property(tries = 300)
  void pack_anyStays_neverOverlap(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int kernels,
      @ForAll @IntRange(min = 1, max = 60) int capacity,
      @ForAll @IntRange(min = 4, max = 60) int piece) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Stay> stays = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      int length = random.nextInt(1, kernels + 1);
      stays.add(new Stay(i, random.nextInt(1, 9), random.nextInt(kernels), length));
    }
    AddressPacker.Packed packed =
        AddressPacker.pack(
            stays, kernels, new Space(capacity, piece), TRIES, AddressPackerTest::noEnd);
    Statistics.label("all fit")
        .collect(packed.fits())
        .coverage(
            all -> {
              all.check(true).percentage(share -> share > 10);
              all.check(false).percentage(share -> share > 10);
            });
    assertThat(packed.offsets()).hasSameSizeAs(stays);
    if (!packed.fits()) {
      assertThat(packed.crowded().isEmpty()).isFalse();
      assertThat(packed.crowded().length()).isLessThanOrEqualTo(kernels);
      return;
    }
    for (int i = 0; i < stays.size(); i++) {
      long from = packed.offsets()[i];
      long to = from + stays.get(i).bytes();
      assertThat(from).isNotNegative();
      assertThat(to).isLessThanOrEqualTo(capacity);
      assertThat(from / piece).as("piece").isEqualTo((to - 1) / piece);
      for (int j = 0; j < i; j++) {
        boolean apart =
            packed.offsets()[j] >= to || packed.offsets()[j] + stays.get(j).bytes() <= from;
        boolean meet = kernels(stays.get(i), kernels).intersects(kernels(stays.get(j), kernels));
        assertThat(apart || !meet).as("%s and %s", stays.get(i), stays.get(j)).isTrue();
      }
    }
  }
}
