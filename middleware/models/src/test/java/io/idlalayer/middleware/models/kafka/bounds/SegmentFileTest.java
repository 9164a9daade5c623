package io.idlalayer.middleware.models.kafka.bounds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SegmentFileTest {
  private static final int RECORD_BYTES = 1 << 20;

  @TempDir Path folder;

  private static byte[] batch(Compression compression, long offset, byte[]... values) {
    SimpleRecord[] records =
        Arrays.stream(values).map(SimpleRecord::new).toArray(SimpleRecord[]::new);
    ByteBuffer buffer = MemoryRecords.withRecords(offset, compression, records).buffer();
    return Utils.toArray(buffer);
  }

  private Path file(byte[]... parts) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return Files.write(folder.resolve("00000000000000000000.log"), all.toByteArray());
  }

  private static List<String> read(Path file) throws IOException {
    List<String> found = new ArrayList<>();
    SegmentFile.read(file, RECORD_BYTES, record -> found.add(described(record)));
    return found;
  }

  private static String described(Record record) {
    return record.offset()
        + ":"
        + new String(Utils.toArray(record.value()), StandardCharsets.UTF_8);
  }

  private static byte[] text(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.UTF_8);
  }

  @Test
  void read_plainAndCompressedBatches_passesTheirRecordsOn() throws IOException {
    Path file =
        file(
            batch(Compression.NONE, 0, text("a"), text("b")),
            batch(Compression.gzip().build(), 2, text("c"), text("d")),
            batch(Compression.NONE, 4, text("e")));
    assertThat(read(file)).containsExactly("0:a", "1:b", "2:c", "3:d", "4:e");
  }

  @Test
  void read_aBatchThatIsNotWhole_endsTheSegment() throws IOException {
    byte[] last = batch(Compression.NONE, 1, text("b"));
    for (int length = 0; length < last.length; length += 7) {
      Path file = file(batch(Compression.NONE, 0, text("a")), Arrays.copyOf(last, length));
      assertThat(read(file)).as("%d bytes", length).containsExactly("0:a");
    }
    assertThat(read(file(batch(Compression.NONE, 0, text("a")), new byte[4_096])))
        .as("a file that was made longer in advance")
        .containsExactly("0:a");
    assertThat(read(file())).isEmpty();
  }

  @Test
  void read_aDamagedBatch_isRefusedByItsPlace() throws IOException {
    byte[] first = batch(Compression.NONE, 0, text("a"));
    byte[] damaged = batch(Compression.NONE, 1, text("b"));
    damaged[damaged.length - 2] ^= 1;
    Path file = file(first, damaged);
    assertThatThrownBy(() -> read(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file + " is damaged at byte " + first.length + ": ");
  }

  @Test
  void read_aRecordThatUnpacksToTooMuch_isCut() throws IOException {
    Path file = file(batch(Compression.gzip().build(), 0, new byte[RECORD_BYTES + 1], text("b")));
    List<Integer> sizes = new ArrayList<>();
    SegmentFile.read(file, RECORD_BYTES, record -> sizes.add(record.valueSize()));
    assertThat(sizes).containsExactly(UnpackLimits.KEPT_BYTES, 1);
  }
}
