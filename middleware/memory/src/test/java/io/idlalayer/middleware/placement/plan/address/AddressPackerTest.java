package io.idlalayer.middleware.placement.plan.address;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

class AddressPackerTest {
  private static final int TRIES = 15;

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
    AddressPacker.Packed packed = AddressPacker.pack(stays, 4, 13, TRIES);
    assertThat(packed.fits()).isTrue();
    assertThat(packed.offsets()[0]).isIn(0L, 6L, 9L);
  }

  @Test
  void pack_stayAcrossTheEndOfTheStep_meetsThoseAtItsBeginning() {
    List<Stay> stays = List.of(new Stay(0, 4, 3, 2), new Stay(1, 4, 0, 1), new Stay(2, 4, 1, 2));
    AddressPacker.Packed packed = AddressPacker.pack(stays, 4, 8, TRIES);
    assertThat(packed.fits()).isTrue();
    assertThat(packed.offsets()[0]).isNotEqualTo(packed.offsets()[1]);
    assertThat(AddressPacker.pack(stays, 4, 7, TRIES).crowded())
        .isEqualTo(kernels(stays.get(1), 4));
  }

  @Test
  void pack_moreBytesThanTheDevice_namesTheKernels() {
    List<Stay> stays = List.of(new Stay(0, 5, 0, 3), new Stay(1, 5, 2, 2));
    assertThat(AddressPacker.pack(stays, 4, 9, TRIES).crowded().stream()).containsExactly(2);
  }

  @Property(tries = 300)
  void pack_anyStays_neverOverlap(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 12) int kernels,
      @ForAll @IntRange(min = 1, max = 30) int capacity) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Stay> stays = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      int length = random.nextInt(1, kernels + 1);
      stays.add(new Stay(i, random.nextInt(1, 9), random.nextInt(kernels), length));
    }
    AddressPacker.Packed packed = AddressPacker.pack(stays, kernels, capacity, TRIES);
    if (!packed.fits()) {
      return;
    }
    for (int i = 0; i < stays.size(); i++) {
      long from = packed.offsets()[i];
      long to = from + stays.get(i).bytes();
      assertThat(from).isNotNegative();
      assertThat(to).isLessThanOrEqualTo(capacity);
      for (int j = 0; j < i; j++) {
        boolean apart =
            packed.offsets()[j] >= to || packed.offsets()[j] + stays.get(j).bytes() <= from;
        boolean meet = kernels(stays.get(i), kernels).intersects(kernels(stays.get(j), kernels));
        assertThat(apart || !meet).as("%s and %s", stays.get(i), stays.get(j)).isTrue();
      }
    }
  }
}
