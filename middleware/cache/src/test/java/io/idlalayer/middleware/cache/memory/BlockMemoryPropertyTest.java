package io.idlalayer.middleware.cache.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class BlockMemoryPropertyTest {
  private record Held(int address, byte[] payload) {}

  private static byte[] payload(SplittableRandom random, int length) {
    byte[] payload = new byte[length];
    random.nextBytes(payload);
    return payload;
  }

  private static void check(BlockMemory memory, List<Held> held) {
    TreeMap<Long, Long> ranges = new TreeMap<>();
    long occupied = 0;
    for (Held each : held) {
      byte[] copy = new byte[each.payload().length];
      assertThat(memory.read(each.address(), copy, 0, copy.length)).isTrue();
      assertThat(copy).isEqualTo(each.payload());
      long bytes = BlockMemory.occupiedBytes(copy.length);
      occupied += bytes;
      ranges.put(each.address() * 16L, each.address() * 16L + bytes);
    }
    long end = 0;
    for (var range : ranges.entrySet()) {
      assertThat(range.getKey()).isGreaterThanOrEqualTo(end);
      end = range.getValue();
    }
    assertThat(memory.allocatedBytes()).isEqualTo(occupied);
  }

  @Property(tries = 300)
  void blocks_neverOverlapAndKeepTheirBytes(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 4) int regions,
      @ForAll @IntRange(min = 1, max = 2000) int longest) {
    SplittableRandom random = new SplittableRandom(seed);
    BlockMemory memory = new BlockMemory(4096);
    for (int i = 0; i < regions; i++) {
      memory.grow();
    }
    List<Held> held = new ArrayList<>();
    for (int step = 0; step < 300; step++) {
      if (random.nextInt(5) < 3) {
        byte[] payload = payload(random, random.nextInt(longest + 1));
        int address = memory.allocate(payload.length);
        if (address != BlockMemory.NONE) {
          memory.write(address, payload, 0, payload.length);
          held.add(new Held(address, payload));
        }
      } else if (!held.isEmpty()) {
        memory.free(held.remove(random.nextInt(held.size())).address());
      }
    }
    check(memory, held);
    held.forEach(each -> memory.free(each.address()));
    assertThat(memory.allocatedBytes()).isZero();
    // Every free piece has joined its neighbours again.
    for (int i = 0; i < regions; i++) {
      assertThat(memory.allocate(memory.maxPayloadBytes())).isNotEqualTo(BlockMemory.NONE);
    }
    assertThat(memory.allocate(0)).isEqualTo(BlockMemory.NONE);
  }

  @Property(tries = 100)
  void equalBlocks_fillARegionWithoutAHole(@ForAll @IntRange(min = 0, max = 500) int length) {
    BlockMemory memory = new BlockMemory(1 << 14);
    memory.grow();
    int count = 0;
    while (memory.allocate(length) != BlockMemory.NONE) {
      count++;
    }
    assertThat(count).isEqualTo((1 << 14) / (int) BlockMemory.occupiedBytes(length));
  }

  @Example
  void droppedRegions_giveTheirBytesBackAndAreReadSafely() {
    BlockMemory memory = new BlockMemory(4096);
    memory.grow();
    memory.grow();
    int first = memory.allocate(3000);
    int second = memory.allocate(3000);
    assertThat(memory.regionOf(first)).isNotEqualTo(memory.regionOf(second));
    assertThatThrownBy(() -> memory.drop(memory.regionOf(second))).hasMessageContaining("holds");

    memory.free(second);
    memory.drop(memory.regionOf(second));

    assertThat(memory.regionBytes()).isEqualTo(4096);
    assertThat(memory.read(second, new byte[3000], 0, 3000)).isFalse();
    assertThat(memory.read(1 << 29, new byte[10], 0, 10)).isFalse();
    assertThat(memory.read(-1, new byte[10], 0, 10)).isFalse();
    assertThat(memory.read(first, new byte[9000], 0, 9000)).isFalse();
    assertThat(memory.read(first, new byte[10], 0, -1)).isFalse();
    memory.grow();
    assertThat(memory.allocate(3000)).isNotEqualTo(BlockMemory.NONE);
  }

  @Example
  void misuse_isRefused() {
    assertThatThrownBy(() -> new BlockMemory(5000)).hasMessageContaining("power of two");
    BlockMemory memory = new BlockMemory(4096);
    memory.grow();
    int address = memory.allocate(100);
    memory.free(address);
    assertThatThrownBy(() -> memory.free(address)).hasMessageContaining("not allocated");
  }
}
