package io.idlalayer.middleware.models.kafka.bounds;

import java.io.IOException;
import java.util.Iterator;
import java.util.NoSuchElementException;
import org.apache.kafka.common.network.TransferableChannel;
import org.apache.kafka.common.record.AbstractRecords;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.Records;
import org.apache.kafka.common.utils.AbstractIterator;
import org.jspecify.annotations.Nullable;

/**
 * The records that were fetched from a partition, with limits on what is unpacked from compressed
 * batches. Uncompressed batches are in memory already and stay as they are.
 */
final class BoundedRecords extends AbstractRecords {
  private final MemoryRecords fetched;
  private final BoundedPartition partition;
  private final long from;

  BoundedRecords(MemoryRecords fetched, BoundedPartition partition) {
    this.fetched = fetched;
    this.partition = partition;
    from = partition.position();
  }

  @Override
  public Iterable<? extends RecordBatch> batches() {
    return () -> new Batches(fetched.batchIterator());
  }

  @Override
  public AbstractIterator<? extends RecordBatch> batchIterator() {
    Batches batches = new Batches(fetched.batchIterator());
    return new AbstractIterator<RecordBatch>() {
      @Override
      protected RecordBatch makeNext() {
        return batches.hasNext() ? batches.next() : allDone();
      }
    };
  }

  /** Batches in their order, up to one that was cut. */
  private final class Batches implements Iterator<RecordBatch> {
    private final Iterator<? extends RecordBatch> all;
    private @Nullable BoundedBatch last;

    Batches(Iterator<? extends RecordBatch> all) {
      this.all = all;
    }

    @Override
    public boolean hasNext() {
      return (last == null || !last.isCut()) && all.hasNext();
    }

    @Override
    public RecordBatch next() {
      if (!hasNext()) {
        throw new NoSuchElementException();
      }
      RecordBatch batch = all.next();
      last =
          batch instanceof DefaultRecordBatch packed && packed.isCompressed()
              ? new BoundedBatch(packed, partition, from)
              : null;
      return last == null ? batch : last;
    }
  }

  @Override
  public Records slice(int position, int size) {
    return fetched.slice(position, size);
  }

  @Override
  public int writeTo(TransferableChannel channel, int position, int length) throws IOException {
    return fetched.writeTo(channel, position, length);
  }

  @Override
  public int sizeInBytes() {
    return fetched.sizeInBytes();
  }
}
