package io.idlalayer.middleware.embedding.table;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.embedding.hot.LogEntry;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import io.idlalayer.middleware.embedding.store.StoredRow;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The bytes of rows in a store and in its log. A change of them raises the version. */
final class StoredBytesTest {
  private static final String ROW =
      "01020000060000000000000002000000d0070000010000007636b73e968ef8be000000000000803f0000000000000000";
  private static final String ENTRY =
      "01000000000000004d00000030" + ROW + "000000000000004effffffff";

  private static byte[] row() {
    return HexFormat.of().parseHex(ROW);
  }

  private static byte[] written(byte[] row) {
    StoredRow head = StoredRow.head(row, StateFormatsTest.PLAN);
    int stride = StateFormatsTest.PLAN.tables().get(head.table()).layout().stride();
    float[] values = new float[stride];
    StoredRow.floats(row, values, 0, stride);
    return head.encode(values, 0, stride);
  }

  @Test
  void row_ofAnExample_hasThePinnedBytes() {
    InMemoryRowStore store = new InMemoryRowStore();
    StateFormatsTest.learned(store).flush();
    TreeMap<Integer, byte[]> byLength = new TreeMap<>();
    store.rows().forEachRemaining(row -> byLength.put(row.getValue().length, row.getValue()));
    assertThat(HexFormat.of().formatHex(byLength.lastEntry().getValue())).isEqualTo(ROW);
    assertThat(written(row())).isEqualTo(row());
  }

  @Test
  void row_cutOffOrOfALaterVersion_isRefused() {
    for (int length = 0; length < row().length; length++) {
      byte[] cut = Arrays.copyOf(row(), length);
      assertThatThrownBy(() -> written(cut)).isInstanceOf(RowStoreException.class);
    }
    byte[] later = row();
    later[0]++;
    assertThatThrownBy(() -> written(later))
        .isInstanceOf(RowStoreException.class)
        .hasMessageContaining("format 1");
  }

  @Test
  void entry_ofAnExample_hasThePinnedBytes() {
    LogEntry entry = new LogEntry();
    entry.row(77, row());
    entry.inStore(78);
    assertThat(HexFormat.of().formatHex(entry.bytes())).isEqualTo(ENTRY);
    assertThat(read(entry.bytes())).isEqualTo(entry.bytes());
  }

  @Test
  void entry_cutOffWithinARow_isRefused() {
    byte[] whole = HexFormat.of().parseHex(ENTRY);
    for (int length = 2; length < 1 + 12 + row().length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> read(cut)).isInstanceOf(RowStoreException.class);
    }
    assertThatThrownBy(() -> read(new byte[] {2})).isInstanceOf(RowStoreException.class);
    assertThatThrownBy(() -> read(new byte[0])).isInstanceOf(RowStoreException.class);
  }

  private static byte[] read(byte[] bytes) {
    LogEntry entry = new LogEntry();
    LogEntry.read(
        bytes,
        new LogEntry.Reader() {
          @Override
          public void row(long rowKey, byte[] row) {
            entry.row(rowKey, row);
          }

          @Override
          public void inStore(long rowKey) {
            entry.inStore(rowKey);
          }
        });
    return entry.bytes();
  }
}
