package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.learner.LearnerState;
import io.idlalayer.middleware.embedding.RowStore;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import org.apache.flink.api.common.functions.RuntimeContext;
import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.state.ValueStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.jspecify.annotations.Nullable;

/** A learner's state as Flink keyed state. State names are part of the savepoint format. */
final class FlinkLearnerState implements LearnerState {
  private static final PrimitiveArrayTypeInfo<byte[]> BYTES =
      PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;

  private final Map<Slot, ValueState<byte[]>> values = new EnumMap<>(Slot.class);
  private final SampleStore samples;
  private final RuntimeContext context;
  private final @Nullable String slowDirectory;

  /** Made when the first learner asks, so that jobs without tables have no such states. */
  private @Nullable RowStore rows;

  /**
   * @param slowDirectory {@code memory.slow-directory}, or null
   */
  FlinkLearnerState(RuntimeContext context, @Nullable String slowDirectory) {
    for (Slot slot : Slot.values()) {
      String name = slot.name().toLowerCase(Locale.ROOT) + "-v1";
      values.put(slot, context.getState(new ValueStateDescriptor<>(name, BYTES)));
    }
    samples =
        new FlinkSampleStore(
            context.getMapState(new MapStateDescriptor<>("payloads-v1", Types.LONG, BYTES)),
            context.getMapState(new MapStateDescriptor<>("metadata-v1", Types.LONG, BYTES)));
    this.context = context;
    this.slowDirectory = slowDirectory;
  }

  @Override
  public byte @Nullable [] get(Slot slot) {
    try {
      return value(slot).value();
    } catch (Exception failed) {
      throw new IllegalStateException("cannot read state " + slot, failed);
    }
  }

  @Override
  public void put(Slot slot, byte @Nullable [] bytes) {
    try {
      if (bytes == null) {
        value(slot).clear();
      } else {
        value(slot).update(bytes.clone());
      }
    } catch (Exception failed) {
      throw new IllegalStateException("cannot write state " + slot, failed);
    }
  }

  private ValueState<byte[]> value(Slot slot) {
    ValueState<byte[]> state = values.get(slot);
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
      known =
          new FlinkRowStore(
              context.getMapState(new MapStateDescriptor<>("rows-v1", Types.LONG, BYTES)),
              context.getMapState(new MapStateDescriptor<>("row-log-v1", Types.LONG, BYTES)),
              context.getMapState(new MapStateDescriptor<>("row-history-v1", Types.LONG, BYTES)),
              context.getMapState(new MapStateDescriptor<>("row-filter-v1", Types.LONG, BYTES)),
              SlowFolder.of(context, slowDirectory));
      rows = known;
    }
    return known;
  }
}
