package io.idlalayer.middleware.models.kafka.bounds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.CompressionType;
import org.apache.kafka.common.record.DefaultRecordBatch;
import org.apache.kafka.common.record.MemoryRecords;
import org.apache.kafka.common.record.Record;
import org.apache.kafka.common.record.RecordBatch;
import org.apache.kafka.common.record.SimpleRecord;
import org.apache.kafka.common.utils.BufferSupplier;
import org.apache.kafka.common.utils.CloseableIterator;
import org.apache.kafka.common.utils.Utils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A consumer that reads batches as Kafka's does, one poll after the other. */
final class BoundedRecordsTest {
  private static final int RECORD_BYTES = 1_000;
  private static final int POLL_BYTES = 5_000;
  private static final Header HEADER = new RecordHeader("h", new byte[] {7});

  private final UnpackedPoll poll = new UnpackedPoll(new UnpackLimits(RECORD_BYTES, POLL_BYTES));
  private final BoundedPartition partition = new BoundedPartition(poll);

  private static SimpleRecord record(int valueBytes, int first) {
    byte[] value = new byte[valueBytes];
    Arrays.fill(value, (byte) ' ');
    if (valueBytes > 0) {
      value[0] = (byte) first;
    }
    return new SimpleRecord(1_000L + first, new byte[] {1}, value, new Header[] {HEADER});
  }

  private static MemoryRecords batch(CompressionType type, List<SimpleRecord> records) {
    return MemoryRecords.withRecords(
        Compression.of(type).build(), records.toArray(SimpleRecord[]::new));
  }

  /** Where a consumer is, and what it has read. */
  private final class Consumer {
    final List<Record> read = new ArrayList<>();
    long next;
    int polls;
    long most;

    void readAll(MemoryRecords fetched, long end) {
      while (next < end) {
        long before = next;
        poll(fetched);
        assertThat(next).as("each poll gets on").isGreaterThan(before);
      }
    }

    void poll(MemoryRecords fetched) {
      polls++;
      poll.begin();
      partition.ask(next, "1");
      BoundedRecords records = new BoundedRecords(fetched, partition);
      assertThat(records.batches().iterator().hasNext()).as("Kafka looks ahead").isTrue();
      long bytes = 0;
      Iterator<? extends RecordBatch> batches = records.batches().iterator();
      while (batches.hasNext()) {
        RecordBatch batch = batches.next();
        batch.ensureValid();
        try (CloseableIterator<Record> each = batch.streamingIterator(BufferSupplier.NO_CACHING)) {
          while (each.hasNext()) {
            Record record = each.next();
            if (record.offset() >= next) {
              read.add(record);
              bytes += record.sizeInBytes();
              next = record.offset() + 1;
            }
          }
        }
        next = Math.max(next, batch.nextOffset());
      }
      most = Math.max(most, bytes);
    }
  }

  @ParameterizedTest
  @EnumSource
  void batches_thatUnpackToMoreThanAPoll_areReadInParts(CompressionType type) {
    List<SimpleRecord> sent = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      sent.add(record(900, i));
    }
    Consumer consumer = new Consumer();
    consumer.readAll(batch(type, sent), sent.size());
    assertThat(consumer.read).hasSize(100);
    for (int i = 0; i < 100; i++) {
      Record record = consumer.read.get(i);
      assertThat(record.offset()).isEqualTo(i);
      assertThat(record.timestamp()).isEqualTo(1_000 + i);
      assertThat(Utils.toArray(record.value())).isEqualTo(Utils.toArray(sent.get(i).value()));
      assertThat(Utils.toArray(record.key())).containsExactly(1);
      assertThat(record.headers()).containsExactly(HEADER);
    }
    if (type == CompressionType.NONE) {
      assertThat(consumer.polls).as("what is in memory already").isEqualTo(1);
    } else {
      assertThat(consumer.most).isLessThan(POLL_BYTES + RECORD_BYTES);
      assertThat(consumer.polls).isEqualTo(17);
    }
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "NONE")
  void records_atTheBound_areWholeAndThoseAboveAreCut(CompressionType type) {
    // Attributes, three lengths and the parts of a header are 12 bytes here.
    int within = RECORD_BYTES - 14;
    while (DefaultRecordBytes.of(record(within, 1)) < RECORD_BYTES) {
      within++;
    }
    List<SimpleRecord> sent =
        List.of(record(within, 1), record(within + 1, 2), record(200_000, 3), record(5, 4));
    Consumer consumer = new Consumer();
    consumer.readAll(batch(type, sent), sent.size());
    assertThat(consumer.read).extracting(Record::offset).containsExactly(0L, 1L, 2L, 3L);
    assertThat(consumer.read.get(0).valueSize()).isEqualTo(within);
    assertThat(consumer.read.get(0).headers()).containsExactly(HEADER);
    Record over = consumer.read.get(1);
    assertThat(length(over)).isEqualTo(Integer.toString(RECORD_BYTES + 1));
    assertThat(over.timestamp()).isEqualTo(1_002);
    Record large = consumer.read.get(2);
    assertThat(length(large)).isEqualTo("200000");
    assertThat(large.key()).isNull();
    assertThat(large.valueSize()).isEqualTo(UnpackLimits.KEPT_BYTES);
    assertThat(large.value().get(0)).isEqualTo((byte) 3);
    assertThat(consumer.read.get(3).valueSize()).isEqualTo(5);
  }

  private static String length(Record record) {
    assertThat(record.headers()).hasSize(1);
    assertThat(record.headers()[0].key()).isEqualTo(UnpackLimits.LENGTH);
    return new String(record.headers()[0].value(), StandardCharsets.US_ASCII);
  }

  /** The length of a record's body, as Kafka writes it. */
  private static final class DefaultRecordBytes {
    static int of(SimpleRecord record) {
      MemoryRecords one = batch(CompressionType.NONE, List.of(record));
      int size = one.records().iterator().next().sizeInBytes();
      // Of two bytes is the length itself.
      return size - 2;
    }
  }

  @Test
  void records_whoseKeyOrHeadersAreLarge_areCutToo() {
    SimpleRecord key = new SimpleRecord(1, new byte[5_000], new byte[] {9});
    SimpleRecord headers =
        new SimpleRecord(
            2, (byte[]) null, null, new Header[] {new RecordHeader("large", new byte[70_000])});
    Consumer consumer = new Consumer();
    consumer.readAll(batch(CompressionType.ZSTD, List.of(key, headers, record(3, 1))), 3);
    assertThat(consumer.read.get(0).key()).isNull();
    assertThat(Utils.toArray(consumer.read.get(0).value())).containsExactly(9);
    assertThat(Integer.parseInt(length(consumer.read.get(0)))).isGreaterThan(5_000);
    assertThat(consumer.read.get(1).valueSize()).isZero();
    assertThat(Integer.parseInt(length(consumer.read.get(1)))).isGreaterThan(70_000);
    assertThat(consumer.read.get(2).valueSize()).isEqualTo(3);
  }

  @Test
  void poll_fromTheMiddleOfABatch_skipsWhatWasRead() {
    List<SimpleRecord> sent = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      sent.add(record(900, i));
    }
    MemoryRecords fetched = batch(CompressionType.LZ4, sent);
    Random random = new Random(5);
    for (int round = 0; round < 20; round++) {
      Consumer consumer = new Consumer();
      // A batch of which a part was read stays open; another place begins it anew.
      consumer.next = random.nextInt(60);
      long from = consumer.next;
      consumer.poll(fetched);
      assertThat(consumer.read.get(0).offset()).isEqualTo(from);
      assertThat(consumer.most).isLessThan(POLL_BYTES + RECORD_BYTES);
    }
    partition.close();
  }

  @Test
  void batchIterator_givesWhatBatchesGive() {
    MemoryRecords fetched = batch(CompressionType.GZIP, List.of(record(1, 1), record(2, 2)));
    BoundedRecords records = new BoundedRecords(fetched, partition);
    poll.begin();
    List<Integer> sizes = new ArrayList<>();
    records.batchIterator().forEachRemaining(batch -> batch.forEach(r -> sizes.add(r.valueSize())));
    assertThat(sizes).containsExactly(1, 2);
    assertThat(records.sizeInBytes()).isEqualTo(fetched.sizeInBytes());
    assertThat(records.slice(0, fetched.sizeInBytes()).sizeInBytes())
        .isEqualTo(fetched.sizeInBytes());
  }

  @Test
  void batches_thatAreDamaged_areRefused() {
    ByteBuffer bytes = batch(CompressionType.GZIP, List.of(record(900, 1))).buffer();
    byte[] copy = Utils.toArray(bytes);
    // The first block of the compressed bytes, behind the headers of batch and gzip.
    copy[61 + 10] = 7;
    BoundedRecords records =
        new BoundedRecords(MemoryRecords.readableRecords(ByteBuffer.wrap(copy)), partition);
    poll.begin();
    RecordBatch batch = records.batches().iterator().next();
    try (CloseableIterator<Record> each = batch.streamingIterator(BufferSupplier.NO_CACHING)) {
      assertThatThrownBy(each::hasNext)
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining("the batch at offset 0 cannot be unpacked");
    }
  }

  /** Kafka reads a length on behind the end of its bytes. */
  @Test
  void batches_thatEndInsideALength_areRefused() {
    byte[] whole = Utils.toArray(batch(CompressionType.GZIP, List.of(record(9, 1))).buffer());
    // Two records are said to be there.
    ByteBuffer bytes = ByteBuffer.wrap(whole);
    bytes.putInt(DefaultRecordBatch.RECORDS_COUNT_OFFSET, 2);
    RecordBatch batch =
        new BoundedRecords(MemoryRecords.readableRecords(bytes), partition)
            .batches()
            .iterator()
            .next();
    poll.begin();
    try (CloseableIterator<Record> each = batch.streamingIterator(BufferSupplier.NO_CACHING)) {
      each.next();
      assertThatThrownBy(each::hasNext)
          .isInstanceOf(InvalidRecordException.class)
          .hasMessageContaining("the batch at offset 0 cannot be unpacked");
    }
  }

  /** A batch that the consumer still holds when it gives the partition away. */
  @Test
  void batch_isCutAfterThePartitionIsClosed_isClosedToo() {
    List<SimpleRecord> sent = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      sent.add(record(900, i));
    }
    CountedBuffers buffers = new CountedBuffers();
    poll.begin();
    BoundedRecords records = new BoundedRecords(batch(CompressionType.LZ4, sent), partition);
    RecordBatch batch = records.batches().iterator().next();
    partition.close();
    try (CloseableIterator<Record> each = batch.streamingIterator(buffers)) {
      while (each.hasNext()) {
        each.next();
      }
    }
    assertThat(batch.nextOffset()).isLessThan(20);
    assertThat(buffers.lent).isZero();
  }

  /** Counts the buffers of decompressors that are open. */
  private static final class CountedBuffers extends BufferSupplier {
    int lent;

    @Override
    public ByteBuffer get(int capacity) {
      lent++;
      return ByteBuffer.allocate(capacity);
    }

    @Override
    public void release(ByteBuffer buffer) {
      lent--;
    }

    @Override
    public void close() {}
  }

  @Test
  void limits_thatAreNone_areRefused() {
    assertThat(UnpackLimits.ofRecords(64 << 20).pollBytes()).isEqualTo(64 << 20);
    assertThat(UnpackLimits.ofRecords(1).pollBytes()).isEqualTo(16 << 20);
    assertThatThrownBy(() -> new UnpackLimits(0, 1)).isInstanceOf(IllegalArgumentException.class);
  }
}
