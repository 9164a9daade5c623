package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class RowHistoryTest {
  private static final long KEY = 77;
  private static final long MOST_BYTES = 1 << 16;

  private final InMemoryRowStore store = new InMemoryRowStore();
  private final RowHistory history = new RowHistory(store.history(), MOST_BYTES);

  private static byte[] row(int content) {
    byte[] row = new byte[100];
    row[0] = (byte) content;
    return row;
  }

  private long logBytes() {
    long bytes = 0;
    for (Map.Entry<Long, byte[]> entry : store.history().entries()) {
      bytes += entry.getValue().length;
    }
    return bytes;
  }

  /** A row that changes in each update, while the first one stays the one to compare with. */
  private void changeOften(int updates) {
    history.begin(1);
    for (int update = 2; update <= updates; update++) {
      history.changed(Map.of(KEY, row(update - 1)));
      history.begin(update);
      history.keepOnly(Set.of(1L, (long) update));
    }
  }

  @Test
  void log_rowThatChangesOften_staysSmall() {
    changeOften(1_000);
    assertThat(history.row(1, KEY)).isEqualTo(row(1));
    assertThat(logBytes()).isLessThan(MOST_BYTES / 16);
  }

  @Test
  void restore_afterTheLogWasRewritten_isWhatItWas() {
    changeOften(1_000);
    history.changed(Map.of(KEY, row(120)));
    RowHistory restored = new RowHistory(store.history(), MOST_BYTES);
    history.published(1, "a version");
    restored.restore(
        history.updates(), history.versions(), history.entryNumbers(), history.entryUpdates());
    assertThat(restored.knows(1, "a version")).isTrue();
    assertThat(restored.knows(1, "another")).isFalse();
    assertThat(restored.knows(1_000, "a version")).isFalse();
    assertThat(restored.knows(1_000)).isTrue();
    assertThat(restored.row(1, KEY)).isEqualTo(row(1));
    assertThat(restored.row(1_000, KEY)).isEqualTo(row(120));
    assertThat(restored.bytes()).isEqualTo(history.bytes());
    restored.changed(Map.of(KEY + 1, RowHistory.NO_ROW));
    assertThat(restored.row(1_000, KEY + 1)).isEmpty();
  }

  @Test
  void restore_logOfAnotherTime_knowsNothing() {
    changeOften(3);
    RowHistory less = new RowHistory(store.history(), MOST_BYTES);
    less.restore(history.updates(), history.versions(), new long[] {1}, new long[] {1});
    assertThat(less.active()).isFalse();
    assertThat(logBytes()).isZero();
    // The row was deleted while no thread wrote the state.
    RowHistory more = new RowHistory(store.history(), MOST_BYTES);
    more.restore(
        history.updates(), history.versions(), history.entryNumbers(), history.entryUpdates());
    assertThat(more.knows(1)).isFalse();
  }

  @Test
  void changed_manyRowsAtOnce_areInSeveralEntries() {
    RowHistory large = new RowHistory(store.history(), 1 << 24);
    large.begin(1);
    Map<Long, byte[]> rows = new HashMap<>();
    for (long key = 0; key < 30_000; key++) {
      rows.put(key, row((int) key));
    }
    large.changed(rows);
    assertThat(large.entryNumbers()).hasSizeBetween(3, 5);
    RowHistory restored = new RowHistory(store.history(), 1 << 24);
    restored.restore(large.updates(), large.versions(), large.entryNumbers(), large.entryUpdates());
    assertThat(restored.row(1, 29_999)).isEqualTo(row(29_999));
    assertThat(restored.bytes()).isEqualTo(large.bytes());
  }

  @Test
  void keepOnly_aboveTheBound_forgetsAllOfIt() {
    history.begin(1);
    for (long key = 0; key < MOST_BYTES / 100; key++) {
      history.changed(Map.of(key, row(1)));
    }
    assertThat(history.knows(1)).as("what is needed is not known yet").isTrue();
    history.keepOnly(Set.of(1L));
    assertThat(history.active()).isFalse();
    assertThat(history.knows(1)).isFalse();
    assertThat(history.bytes()).isZero();
    assertThat(logBytes()).isZero();
    history.begin(2);
    assertThat(history.knows(2)).isTrue();
  }

  /** An update that is not needed any more does not count. */
  @Test
  void keepOnly_withinTheBoundOfWhatIsNeeded_keepsIt() {
    history.begin(1);
    for (int update = 2; update < 6; update++) {
      for (long key = 0; key < MOST_BYTES / 400; key++) {
        history.changed(Map.of(key, row(1)));
      }
      history.begin(update);
    }
    history.keepOnly(Set.of(4L));
    assertThat(history.knows(4)).isTrue();
    assertThat(history.bytes()).isBetween(1L, MOST_BYTES);
  }
}
