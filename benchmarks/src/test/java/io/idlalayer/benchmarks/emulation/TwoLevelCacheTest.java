package io.idlalayer.benchmarks.emulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.benchmarks.emulation.TwoLevelCache.Options;
import io.idlalayer.benchmarks.emulation.TwoLevelCache.StoreKind;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class TwoLevelCacheTest {
  private static final int LINE = TwoLevelCache.LINE_BYTES;
  private static final long SPACE = 1 << 20;

  private static TwoLevelCache cache(int lines, boolean ownership) {
    return new TwoLevelCache((long) lines * LINE, SPACE, Options.identity(ownership));
  }

  private static void read(TwoLevelCache cache, long line) {
    cache.read(line * LINE, LINE);
  }

  private static void store(TwoLevelCache cache, long line) {
    cache.write(line * LINE, LINE, StoreKind.NON_TEMPORAL);
  }

  @Example
  @Label("5.6.1: seven requests to four lines")
  void snapshot_afterASequence_countsWhatTheTableSays() {
    TwoLevelCache cache = cache(4, false);
    read(cache, 0);
    read(cache, 0);
    store(cache, 0);
    read(cache, 4);
    store(cache, 8);
    store(cache, 4);
    read(cache, 1);
    TagStats tags = cache.snapshot();
    assertThat(tags).isEqualTo(new TagStats(2, 3, 2, 0, 7, 8, 5, 2));
    assertThat(tags.accesses()).isEqualTo(22);
    assertThat(tags.demands()).isEqualTo(7);
    assertThat(tags.amplification()).isBetween(3.14, 3.15);
  }

  private record Row(long fastReads, long fastWrites, long slowReads, long slowWrites) {}

  private static Row since(TwoLevelCache cache, TagStats before) {
    TagStats now = cache.snapshot().since(before);
    return new Row(now.fastReads(), now.fastWrites(), now.slowReads(), now.slowWrites());
  }

  @Example
  void everyRequest_costsWhatTheTableSays() {
    TwoLevelCache cache = cache(1, true);
    TagStats at = cache.snapshot();
    read(cache, 0);
    assertThat(since(cache, at)).isEqualTo(new Row(1, 1, 1, 0));
    at = cache.snapshot();
    read(cache, 0);
    assertThat(since(cache, at)).isEqualTo(new Row(1, 0, 0, 0));
    at = cache.snapshot();
    store(cache, 0); // Owned by the read.
    assertThat(since(cache, at)).isEqualTo(new Row(0, 1, 0, 0));
    at = cache.snapshot();
    store(cache, 0);
    assertThat(since(cache, at)).isEqualTo(new Row(1, 1, 0, 0));
    at = cache.snapshot();
    store(cache, 1);
    assertThat(since(cache, at)).isEqualTo(new Row(1, 2, 1, 1));
    at = cache.snapshot();
    read(cache, 0);
    assertThat(since(cache, at)).isEqualTo(new Row(1, 1, 1, 1));
    at = cache.snapshot();
    store(cache, 1);
    assertThat(since(cache, at)).isEqualTo(new Row(1, 2, 1, 0));
  }

  /** Accesses per line in a steady state, over an array of a share of the cache. */
  private static double perLine(TwoLevelCache cache, long lines, boolean reads, boolean writes) {
    TagStats before = cache.snapshot();
    for (int pass = 0; pass < 4; pass++) {
      if (pass == 2) {
        before = cache.snapshot();
      }
      for (long line = 0; line < lines; line++) {
        if (reads) {
          read(cache, line);
        }
        if (writes) {
          store(cache, line);
        }
      }
    }
    return cache.snapshot().since(before).accesses() / (2.0 * lines);
  }

  @Example
  @Label("5.6.2 and 5.6.3: steady states")
  void steadyStates_costWhatTheSourceMeasured() {
    assertThat(perLine(cache(64, true), 128, true, true)).isEqualTo(5);
    assertThat(perLine(cache(64, false), 128, true, true)).isEqualTo(6);
    assertThat(perLine(cache(64, true), 128, false, true)).isEqualTo(5);
    assertThat(perLine(cache(64, true), 128, true, false)).isEqualTo(3);
    assertThat(perLine(cache(64, true), 16, true, false)).isEqualTo(1);
    assertThat(perLine(cache(64, true), 16, false, true)).isEqualTo(2);
  }

  @Example
  @Label("5.6.4: ranges")
  void read_range_touchesEveryLineOfIt() {
    TwoLevelCache cache = cache(4, true);
    cache.read(10, 0);
    assertThat(cache.snapshot().demands()).isZero();
    cache.read(63, 1);
    assertThat(cache.snapshot().demands()).isEqualTo(1);
    cache.read(63, 2);
    assertThat(cache.snapshot().demands()).isEqualTo(3);
    cache.read(3 * LINE, 3 * LINE); // Crosses the wrap of the sets.
    assertThat(cache.snapshot().demands()).isEqualTo(6);
    cache.write(0, 1, StoreKind.STANDARD);
    assertThat(cache.dirtyLines()).isEqualTo(1);
    assertThat(cache.flush()).isEqualTo(1);
    assertThat(cache.dirtyLines()).isZero();
    cache.reset();
    assertThat(cache.snapshot().demands()).isZero();
  }

  @Example
  void misuse_isRefused() {
    TwoLevelCache cache = cache(4, true);
    assertThatThrownBy(() -> cache.read(0, -1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> cache.read(-1, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> cache.read(SPACE, 1)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> cache.read(Long.MAX_VALUE, 2))
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> new TwoLevelCache(100, SPACE, Options.DEFAULT))
        .hasMessageContaining("multiple of 64");
    assertThatThrownBy(() -> new Options(true, 100, 0, 0, 1)).hasMessageContaining("64");
    assertThatThrownBy(() -> new Options(true, 0, 0, 2, 2)).hasMessageContaining("shard 2 of 2");
  }

  private static TagStats plus(TagStats a, TagStats b) {
    TagStats none = new TagStats(0, 0, 0, 0, 0, 0, 0, 0);
    return a.since(none.since(b));
  }

  @Property(tries = 200)
  @Label("5.6.4: shards and split ranges")
  void shardsAndSplitRanges_countLikeOneInstance(
      @ForAll long seed,
      @ForAll @IntRange(min = 1, max = 40) int lines,
      @ForAll boolean ownership,
      @ForAll boolean paged) {
    SplittableRandom random = new SplittableRandom(seed);
    int page = paged ? 256 : 0;
    TwoLevelCache whole =
        new TwoLevelCache((long) lines * LINE, SPACE, new Options(ownership, page, seed, 0, 1));
    TwoLevelCache first =
        new TwoLevelCache((long) lines * LINE, SPACE, new Options(ownership, page, seed, 0, 2));
    TwoLevelCache second =
        new TwoLevelCache((long) lines * LINE, SPACE, new Options(ownership, page, seed, 1, 2));
    for (int i = 0; i < 100; i++) {
      int offset = random.nextInt(8000) / LINE * LINE;
      int bytes = random.nextInt(20) * LINE;
      int half = bytes / 2 / LINE * LINE;
      boolean write = random.nextBoolean();
      if (write) {
        whole.write(offset, bytes, StoreKind.STANDARD);
      } else {
        whole.read(offset, bytes);
      }
      for (TwoLevelCache shard : new TwoLevelCache[] {first, second}) {
        if (write) {
          shard.write(offset, half, StoreKind.STANDARD);
          shard.write((long) offset + half, (long) bytes - half, StoreKind.STANDARD);
        } else {
          shard.read(offset, half);
          shard.read((long) offset + half, (long) bytes - half);
        }
      }
    }
    TagStats tags = whole.snapshot();
    assertThat(plus(first.snapshot(), second.snapshot())).isEqualTo(tags);
    assertThat(tags.slowReads()).isEqualTo(tags.missesClean() + tags.missesDirty());
    assertThat(tags.slowWrites()).isEqualTo(tags.missesDirty());
    assertThat(tags.fastReads()).isEqualTo(tags.demands() - tags.ownedWrites());
    assertThat(whole.dirtyLines()).isLessThanOrEqualTo(lines);
  }
}
