package io.idlalayer.middleware.models.kafka.bounds;

import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.utils.BufferSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The state of one partition between two fetches: where the consumer reads, and the batch that it
 * has read in part. Confined to the thread of its consumer.
 */
final class BoundedPartition {
  private final UnpackedPoll poll;
  private long position;
  private String node = "";
  private @Nullable OpenBatch kept;
  private boolean isClosed;

  BoundedPartition(UnpackedPoll poll) {
    this.poll = poll;
  }

  UnpackedPoll poll() {
    return poll;
  }

  /** Remembers the offset that the consumer requests, and the node from which it requests it. */
  void ask(long offset, String ofNode) {
    position = offset;
    node = ofNode;
  }

  boolean isAskedOf(String other) {
    return node.equals(other);
  }

  long position() {
    return position;
  }

  /** Begins to unpack a batch, or continues at the record where unpacking stopped. */
  OpenBatch open(DefaultRecordBatch batch, long from, BufferSupplier buffers) {
    OpenBatch left = kept;
    kept = null;
    if (left != null && left.isOf(batch) && left.nextOffset() <= from) {
      return left;
    }
    if (left != null) {
      left.close();
    }
    return new OpenBatch(batch, buffers, poll.limits());
  }

  /** Keeps a batch of which only a part was read, unless the partition is closed. */
  void keep(OpenBatch open) {
    closeKept();
    if (isClosed) {
      open.close();
    } else {
      kept = open;
    }
  }

  void close() {
    isClosed = true;
    closeKept();
  }

  private void closeKept() {
    if (kept != null) {
      kept.close();
      kept = null;
    }
  }
}
