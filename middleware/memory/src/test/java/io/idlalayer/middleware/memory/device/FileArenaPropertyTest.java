package io.idlalayer.middleware.memory.device;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.object.Tiers;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Random copies at random offsets against an array. */
final class FileArenaPropertyTest {
  private static final int OPERATIONS = 80;

  @Property(tries = 300)
  void copies_anywhere_giveTheBytesOfAnArray(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int capacity = 1 + random.nextInt(20 * BlockFile.BLOCK_BYTES);
    byte[] model = new byte[capacity];
    boolean[] known = new boolean[capacity];
    try (Arena arena = BlockFile.arena(Tiers.slow(capacity))) {
      for (int i = 0; i < OPERATIONS; i++) {
        int from = random.nextInt(capacity);
        int count = random.nextInt(1 + Math.min(capacity - from, 5 * BlockFile.BLOCK_BYTES));
        switch (random.nextInt(5)) {
          case 0, 1 -> {
            byte[] bytes = new byte[count];
            random.nextBytes(bytes);
            ByteBuffer source = ByteBuffer.wrap(bytes);
            int at = from;
            while (source.hasRemaining()) {
              at += arena.put(at, source);
            }
            System.arraycopy(bytes, 0, model, from, count);
            Arrays.fill(known, from, from + count, true);
          }
          case 2 -> {
            arena.discard(from, count);
            Arrays.fill(known, from, from + count, false);
          }
          default -> {
            ByteBuffer target =
                random.nextBoolean()
                    ? ByteBuffer.allocate(count + 3)
                    : ByteBuffer.allocateDirect(count + 3);
            arena.get(from, target.position(1).limit(1 + count));
            for (int k = 0; k < count; k++) {
              if (known[from + k]) {
                assertThat(target.get(1 + k)).as("byte %d", from + k).isEqualTo(model[from + k]);
              }
            }
          }
        }
      }
    }
  }
}
