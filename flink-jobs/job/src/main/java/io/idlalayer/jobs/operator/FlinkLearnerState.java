package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SampleStoreException;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.middleware.embedding.store.RowStore;
import io.idlalayer.middleware.embedding.store.RowStoreException;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/**
 * The durable state of a learner in Flink's keyed state. State names are part of the savepoint
 * format.
 */
public final class FlinkLearnerState implements LearnerState {
  private static final PrimitiveArrayTypeInfo<byte[]> BYTES =
      PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

  private final Map<Slot, KeyedValue> values = new EnumMap<>(Slot.class);
  private final SampleStore samples;
  private final RuntimeContext context;
  private final SlowFolder folder;

  /**
   * Store of rows. It is created when the first learner asks for rows, so that jobs without tables
   * have no Flink states for rows.
   */
  private @Nullable RowStore rows;

  /**
   * @param slowDirectory the setting {@code memory.slow-directory}, or null
   */
  public FlinkLearnerState(RuntimeContext context, @Nullable String slowDirectory) {
    this.context = context;
    folder = SlowFolder.of(context, slowDirectory);
    StateFailures failures = new StateFailures(folder, IllegalStateException::new);
    for (Slot slot : Slot.values()) {
      String name = slot.name().toLowerCase(Locale.ROOT) + "-v1";
      values.put(
          slot,
          new KeyedValue(
              context.getState(new ValueStateDescriptor<>(name, BYTES)), slot.name(), failures));
    }
    StateFailures ofSamples = new StateFailures(folder, SampleStoreException::new);
    samples =
        new FlinkSampleStore(
            map("payloads-v1", "samples", ofSamples),
            map("metadata-v1", "metadata of the samples", ofSamples));
  }

  /**
   * @param content what the entries are, in the plural, for messages
   */
  private KeyedBytes map(String name, String content, StateFailures failing) {
    return new KeyedBytes(
        context.getMapState(new MapStateDescriptor<>(name, Types.LONG, BYTES)), content, failing);
  }

  @Override
  public byte @Nullable [] get(Slot slot) {
    return value(slot).get();
  }

  @Override
  public void put(Slot slot, byte @Nullable [] bytes) {
    value(slot).put(bytes == null ? null : bytes.clone());
  }

  private KeyedValue value(Slot slot) {
    KeyedValue state = values.get(slot);
    if (state == null) {
      throw new IllegalStateException("no state for " + slot);
    }
    return state;
  }

  @Override
  public SampleStore samples() {
    return samples;
  }

  @Override
  public RowStore rows() {
    RowStore known = rows;
    if (known == null) {
      StateFailures ofRows = new StateFailures(folder, RowStoreException::new);
      known =
          new FlinkRowStore(
              map("rows-v1", "rows", ofRows),
              map("row-log-v1", "log of changed rows", ofRows),
              map("row-history-v1", "history of rows", ofRows),
              map("row-filter-v1", "filter of ids", ofRows));
      rows = known;
    }
    return known;
  }
}
