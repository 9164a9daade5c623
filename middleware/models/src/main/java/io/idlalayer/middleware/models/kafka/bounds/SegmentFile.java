package io.idlalayer.middleware.models.kafka.bounds;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.Records;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;

/**
 * Reads a file of a broker's log without asking the broker, whether or not the broker runs. The
 * limits for compressed batches are those of a {@link BoundedConsumer}.
 */
public final class SegmentFile {
  private static final int HEAD_BYTES = Records.LOG_OVERHEAD;
  private static final int BATCH_BYTES_MAX = 128 << 20;

  private SegmentFile() {}

  /**
   * Passes on the records of a segment in their order. An incomplete batch, such as a killed broker
   * leaves at the end of a file, ends the segment.
   *
   * @param recordBytes largest size of a record in a compressed batch, see {@link UnpackLimits}
   * @throws IOException if the file cannot be read, or a batch in it is damaged
   */
  public static void read(Path file, int recordBytes, Consumer<Record> each) throws IOException {
    BoundedPartition partition =
        new BoundedPartition(new UnpackedPoll(new UnpackLimits(recordBytes, Long.MAX_VALUE)));
    long at = 0;
    try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
      for (byte[] batch = batch(in); batch.length > 0; batch = batch(in)) {
        read(batch, partition, each);
        at += batch.length;
      }
    } catch (KafkaException damaged) {
      throw new IOException(
          String.format(
              Locale.ROOT, "%s is damaged at byte %d: %s", file, at, damaged.getMessage()),
          damaged);
    } finally {
      partition.close();
    }
  }

  /** Returns the bytes of the next batch; none if no whole batch follows. */
  private static byte[] batch(InputStream in) throws IOException {
    byte[] head = in.readNBytes(HEAD_BYTES);
    if (head.length < HEAD_BYTES) {
      return new byte[0];
    }
    int size = ByteBuffer.wrap(head).getInt(Records.SIZE_OFFSET);
    if (size <= 0 || size > BATCH_BYTES_MAX) {
      return new byte[0];
    }
    byte[] rest = in.readNBytes(size);
    if (rest.length < size) {
      return new byte[0];
    }
    return ByteBuffer.allocate(HEAD_BYTES + size).put(head).put(rest).array();
  }

  private static void read(byte[] bytes, BoundedPartition partition, Consumer<Record> each) {
    MemoryRecords memory = MemoryRecords.readableRecords(ByteBuffer.wrap(bytes));
    Iterator<? extends RecordBatch> batches = new BoundedRecords(memory, partition).batchIterator();
    while (batches.hasNext()) {
      RecordBatch batch = batches.next();
      batch.ensureValid();
      if (!batch.isControlBatch()) {
        try (CloseableIterator<Record> records =
            batch.streamingIterator(BufferSupplier.NO_CACHING)) {
          records.forEachRemaining(each);
        }
      }
    }
  }
}
