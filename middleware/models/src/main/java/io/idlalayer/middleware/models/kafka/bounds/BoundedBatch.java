package io.idlalayer.middleware.models.kafka.bounds;

import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.NoSuchElementException;
import java.util.OptionalLong;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;
import org.jspecify.annotations.Nullable;

/**
 * A compressed batch whose records are bounded, and which ends early when the poll is full. Its
 * {@link #nextOffset} is then the offset of the first record that was not returned: the consumer
 * fetches the batch again and goes on at that record. Confined to the thread of its consumer.
 */
final class BoundedBatch implements RecordBatch {
  private final DefaultRecordBatch batch;
  private final BoundedPartition partition;
  private final long from;
  private long cutAt = -1;

  /**
   * @param from offset of the first record that the consumer wants
   */
  BoundedBatch(DefaultRecordBatch batch, BoundedPartition partition, long from) {
    this.batch = batch;
    this.partition = partition;
    this.from = from;
  }

  /** Returns whether the batch ended before its last record. */
  boolean isCut() {
    return cutAt >= 0;
  }

  @Override
  public CloseableIterator<Record> streamingIterator(BufferSupplier buffers) {
    return new Unpacking(partition.open(batch, from, buffers));
  }

  @Override
  public CloseableIterator<Record> streamingIterator(BufferSupplier buffers, int recordBytesMax) {
    return streamingIterator(buffers);
  }

  @Override
  public Iterator<Record> iterator() {
    return streamingIterator(BufferSupplier.NO_CACHING);
  }

  private final class Unpacking implements CloseableIterator<Record> {
    private final OpenBatch open;
    private @Nullable Record next;

    Unpacking(OpenBatch open) {
      this.open = open;
    }

    @Override
    public boolean hasNext() {
      while (next == null && cutAt < 0 && open.hasNext()) {
        if (partition.poll().isFull()) {
          cutAt = Math.max(from, open.nextOffset());
          partition.keep(open);
          return false;
        }
        Record record = open.next();
        // The consumer would skip the batch.
        next = record.offset() < from ? null : record;
      }
      return next != null;
    }

    @Override
    public Record next() {
      Record record = hasNext() ? next : null;
      if (record == null) {
        throw new NoSuchElementException();
      }
      next = null;
      partition.poll().add(record.sizeInBytes());
      return record;
    }

    @Override
    public void close() {
      if (cutAt < 0) {
        open.close();
      }
    }
  }

  @Override
  public long nextOffset() {
    return isCut() ? cutAt : batch.nextOffset();
  }

  @Override
  public boolean isValid() {
    return batch.isValid();
  }

  @Override
  public void ensureValid() {
    batch.ensureValid();
  }

  @Override
  public long checksum() {
    return batch.checksum();
  }

  @Override
  public long maxTimestamp() {
    return batch.maxTimestamp();
  }

  @Override
  public TimestampType timestampType() {
    return batch.timestampType();
  }

  @Override
  public long baseOffset() {
    return batch.baseOffset();
  }

  @Override
  public long lastOffset() {
    return batch.lastOffset();
  }

  @Override
  public byte magic() {
    return batch.magic();
  }

  @Override
  public long producerId() {
    return batch.producerId();
  }

  @Override
  public short producerEpoch() {
    return batch.producerEpoch();
  }

  @Override
  public boolean hasProducerId() {
    return batch.hasProducerId();
  }

  @Override
  public int baseSequence() {
    return batch.baseSequence();
  }

  @Override
  public int lastSequence() {
    return batch.lastSequence();
  }

  @Override
  public CompressionType compressionType() {
    return batch.compressionType();
  }

  @Override
  public int sizeInBytes() {
    return batch.sizeInBytes();
  }

  @Override
  public Integer countOrNull() {
    return batch.countOrNull();
  }

  @Override
  public boolean isCompressed() {
    return batch.isCompressed();
  }

  @Override
  public void writeTo(ByteBuffer buffer) {
    batch.writeTo(buffer);
  }

  @Override
  public boolean isTransactional() {
    return batch.isTransactional();
  }

  @Override
  public OptionalLong deleteHorizonMs() {
    return batch.deleteHorizonMs();
  }

  @Override
  public int partitionLeaderEpoch() {
    return batch.partitionLeaderEpoch();
  }

  @Override
  public boolean isControlBatch() {
    return batch.isControlBatch();
  }
}
