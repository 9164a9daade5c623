package io.idlalayer.middleware.models.kafka.bounds;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.DefaultRecord;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.ByteUtils;
import org.jspecify.annotations.Nullable;

/**
 * A compressed batch that is being unpacked, one record at a time. It holds one record at most, and
 * none that is larger than the limit. Confined to the thread of its consumer.
 *
 * <p>The bytes of a record are: its length, its attributes, its timestamp and its offset (both as
 * differences from those of the batch), its key, its value and its headers.
 */
final class OpenBatch {
  private static final int SKIP_BYTES = 8 << 10;

  private final DefaultRecordBatch batch;
  private final InputStream in;
  private final UnpackLimits limits;
  private final @Nullable Long appendedMillis;
  private int left;
  private long nextOffset;

  OpenBatch(DefaultRecordBatch batch, BufferSupplier buffers, UnpackLimits limits) {
    this.batch = batch;
    this.limits = limits;
    in = batch.recordInputStream(buffers);
    left = batch.countOrNull();
    nextOffset = batch.baseOffset();
    appendedMillis =
        batch.timestampType() == TimestampType.LOG_APPEND_TIME ? batch.maxTimestamp() : null;
  }

  /** Returns whether a batch that was fetched again is the batch that is being unpacked here. */
  boolean isOf(RecordBatch other) {
    return batch.baseOffset() == other.baseOffset() && batch.checksum() == other.checksum();
  }

  boolean hasNext() {
    return left > 0;
  }

  /** Returns the offset behind the last record that was returned. */
  long nextOffset() {
    return nextOffset;
  }

  /**
   * Returns the next record. If it is too large, returns its beginning.
   *
   * @throws InvalidRecordException if the batch is damaged
   */
  Record next() {
    left--;
    try {
      int size = ByteUtils.readVarint(in);
      if (size < 0) {
        throw new InvalidRecordException(String.format(Locale.ROOT, "a record of %d bytes", size));
      }
      Record record = size <= limits.recordBytes() ? whole(size) : cut(size);
      nextOffset = record.offset() + 1;
      return record;
    } catch (IOException | IllegalArgumentException damaged) {
      // At the end of a stream Kafka still reads a length, and then calls the length illegal.
      throw new InvalidRecordException(
          String.format(
              Locale.ROOT, "the batch at offset %d cannot be unpacked", batch.baseOffset()),
          damaged);
    }
  }

  private Record whole(int size) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(size + Integer.BYTES + 1);
    ByteUtils.writeVarint(size, bytes);
    int begin = bytes.position();
    if (in.readNBytes(bytes.array(), begin, size) < size) {
      throw new EOFException();
    }
    bytes.limit(begin + size).position(0);
    return record(bytes);
  }

  private Record record(ByteBuffer bytes) {
    return DefaultRecord.readFrom(
        bytes, batch.baseOffset(), batch.baseTimestamp(), batch.baseSequence(), appendedMillis);
  }

  /** Reads a record that is too large, and keeps the beginning of its value. */
  private Record cut(int size) throws IOException {
    Part part = new Part(in, size);
    part.skip(1);
    long timestampDelta = ByteUtils.readVarlong(part);
    int offsetDelta = ByteUtils.readVarint(part);
    part.skip(Math.max(0, ByteUtils.readVarint(part)));
    int length = ByteUtils.readVarint(part);
    byte[] beginning = part.readNBytes(Math.min(Math.max(0, length), UnpackLimits.KEPT_BYTES));
    part.skip(part.left);
    long told = length > limits.recordBytes() ? length : size;
    Header[] headers = {
      new RecordHeader(UnpackLimits.LENGTH, Long.toString(told).getBytes(StandardCharsets.US_ASCII))
    };
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    DefaultRecord.writeTo(
        new DataOutputStream(written),
        offsetDelta,
        timestampDelta,
        null,
        ByteBuffer.wrap(beginning),
        headers);
    return record(ByteBuffer.wrap(written.toByteArray()));
  }

  void close() {
    try {
      in.close();
    } catch (IOException damaged) {
      throw new InvalidRecordException(
          String.format(Locale.ROOT, "the batch at offset %d cannot be closed", batch.baseOffset()),
          damaged);
    }
  }

  /** The bytes of one record in the stream. */
  private static final class Part extends InputStream {
    private final InputStream in;
    private final byte[] passed = new byte[SKIP_BYTES];
    private int left;

    Part(InputStream in, int size) {
      this.in = in;
      left = size;
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      if (left == 0 && length > 0) {
        return -1;
      }
      int read = in.read(bytes, offset, Math.min(length, left));
      if (read < 0) {
        throw new EOFException();
      }
      left -= read;
      return read;
    }

    void skip(int bytes) throws IOException {
      if (bytes > left) {
        throw new InvalidRecordException(
            String.format(
                Locale.ROOT,
                "a part of %d bytes does not fit the %d bytes that are left",
                bytes,
                left));
      }
      for (int open = bytes; open > 0; ) {
        open -= read(passed, 0, Math.min(open, passed.length));
      }
    }
  }
}
