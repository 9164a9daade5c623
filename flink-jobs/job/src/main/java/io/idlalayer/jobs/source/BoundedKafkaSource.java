package io.idlalayer.jobs.source;

import io.idlalayer.jobs.start.StartPositions;
import io.idlalayer.middleware.models.kafka.bounds.UnpackBounds;
import io.idlalayer.middleware.models.kafka.bounds.UnpackLimits;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.Properties;
import java.util.function.Supplier;
import org.apache.flink.api.common.serialization.DeserializationSchema;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.connector.source.Boundedness;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.SourceReader;
import org.apache.flink.api.connector.source.SourceReaderContext;
import org.apache.flink.api.connector.source.SplitEnumerator;
import org.apache.flink.api.connector.source.SplitEnumeratorContext;
import org.apache.flink.api.java.typeutils.ResultTypeQueryable;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.source.reader.RecordsWithSplitIds;
import org.apache.flink.connector.base.source.reader.splitreader.SplitReader;
import org.apache.flink.connector.base.source.reader.synchronization.FutureCompletingBlockingQueue;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.KafkaSourceBuilder;
import org.apache.flink.connector.kafka.source.enumerator.KafkaSourceEnumState;
import org.apache.flink.connector.kafka.source.metrics.KafkaSourceReaderMetrics;
import org.apache.flink.connector.kafka.source.reader.KafkaPartitionSplitReader;
import org.apache.flink.connector.kafka.source.reader.KafkaRecordEmitter;
import org.apache.flink.connector.kafka.source.reader.KafkaSourceReader;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.connector.kafka.source.reader.fetcher.KafkaSourceFetcherManager;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.core.io.SimpleVersionedSerializer;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.util.UserCodeClassLoader;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;

/**
 * Flink's Kafka source with a bound on the bytes that its readers unpack from compressed batches.
 * Its state has the format of Flink's source.
 *
 * @param <T> type of the decoded records
 */
public final class BoundedKafkaSource<T>
    implements Source<T, KafkaPartitionSplit, KafkaSourceEnumState>, ResultTypeQueryable<T> {
  private static final long serialVersionUID = 1L;

  private final KafkaSource<T> source;
  private final KafkaRecordDeserializationSchema<T> decoder;
  private final Properties consumer;
  private final int recordBytes;
  private final FirstOffsets first;

  /**
   * @param source builder of Flink's source, with the partitions to read and the properties of the
   *     client that searches for partitions
   * @param decoder decoder of the records
   * @param consumer properties of the consumers
   * @param recordBytes largest number of bytes of a record that is decoded whole; of a larger
   *     record, only the beginning is decoded
   * @param starts first offsets of the topics for which the state of the source has no offsets
   */
  public BoundedKafkaSource(
      KafkaSourceBuilder<T> source,
      KafkaRecordDeserializationSchema<T> decoder,
      Properties consumer,
      int recordBytes,
      StartPositions starts) {
    first = new FirstOffsets(starts);
    this.source = source.setDeserializer(decoder).setStartingOffsets(first).build();
    this.decoder = decoder;
    this.consumer = consumer;
    this.recordBytes = recordBytes;
  }

  @Override
  public SourceReader<T, KafkaPartitionSplit> createReader(SourceReaderContext context)
      throws Exception {
    decoder.open(opening(context));
    FutureCompletingBlockingQueue<RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>>> elements =
        new FutureCompletingBlockingQueue<>();
    KafkaSourceReaderMetrics metrics = new KafkaSourceReaderMetrics(context.metricGroup());
    UnpackLimits limits = UnpackLimits.ofRecords(recordBytes);
    Supplier<SplitReader<ConsumerRecord<byte[], byte[]>, KafkaPartitionSplit>> readers =
        () -> new Reader(consumer, context, metrics, limits);
    Configuration settings = new Configuration();
    consumer
        .stringPropertyNames()
        .forEach(key -> settings.setString(key, consumer.getProperty(key)));
    return new KafkaSourceReader<>(
        elements,
        new KafkaSourceFetcherManager(elements, readers, finished -> {}),
        new KafkaRecordEmitter<>(decoder),
        settings,
        context,
        metrics);
  }

  private static DeserializationSchema.InitializationContext opening(SourceReaderContext context) {
    return new DeserializationSchema.InitializationContext() {
      @Override
      public MetricGroup getMetricGroup() {
        return context.metricGroup().addGroup("deserializer");
      }

      @Override
      public UserCodeClassLoader getUserCodeClassLoader() {
        return context.getUserCodeClassLoader();
      }
    };
  }

  /** Flink's reader of partitions, with a consumer that is bounded. */
  private static final class Reader extends KafkaPartitionSplitReader {
    private final UnpackBounds bounds;

    Reader(
        Properties consumer,
        SourceReaderContext context,
        KafkaSourceReaderMetrics metrics,
        UnpackLimits limits) {
      super(consumer, context, metrics);
      try {
        Field field = KafkaPartitionSplitReader.class.getDeclaredField("consumer");
        field.setAccessible(true);
        bounds = UnpackBounds.on((KafkaConsumer<?, ?>) field.get(this), limits);
      } catch (ReflectiveOperationException unknown) {
        throw new IllegalStateException(
            "this version of flink-connector-kafka is not supported: its inner structure differs. Use the version in iDlaLayer's lib folder",
            unknown);
      }
    }

    @Override
    public RecordsWithSplitIds<ConsumerRecord<byte[], byte[]>> fetch() throws IOException {
      bounds.beginPoll();
      return super.fetch();
    }
  }

  @Override
  public Boundedness getBoundedness() {
    return source.getBoundedness();
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> createEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context) {
    ClosingClasses.load(KafkaConsumer.class.getClassLoader());
    return source.createEnumerator(context);
  }

  @Override
  public SplitEnumerator<KafkaPartitionSplit, KafkaSourceEnumState> restoreEnumerator(
      SplitEnumeratorContext<KafkaPartitionSplit> context, KafkaSourceEnumState state)
      throws IOException {
    ClosingClasses.load(KafkaConsumer.class.getClassLoader());
    return source.restoreEnumerator(context, first.added(state));
  }

  @Override
  public SimpleVersionedSerializer<KafkaPartitionSplit> getSplitSerializer() {
    return source.getSplitSerializer();
  }

  @Override
  public SimpleVersionedSerializer<KafkaSourceEnumState> getEnumeratorCheckpointSerializer() {
    return source.getEnumeratorCheckpointSerializer();
  }

  @Override
  public TypeInformation<T> getProducedType() {
    return source.getProducedType();
  }
}
