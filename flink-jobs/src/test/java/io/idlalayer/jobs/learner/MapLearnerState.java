package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleStore;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Learner state in maps: survives the learner, so that a test can restore another one from it. */
final class MapLearnerState implements LearnerState {
  private final Map<Slot, byte[]> values = new EnumMap<>(Slot.class);
  private final InMemorySampleStore samples = new InMemorySampleStore();
  private final Map<Slot, Integer> writes = new EnumMap<>(Slot.class);

  /** A copy as a checkpoint keeps it. */
  MapLearnerState copy() {
    MapLearnerState copy = new MapLearnerState();
    copy.values.putAll(values);
    samples.forEachMetadata(
        (id, metadata) -> copy.samples.put(id, samples.payloads(new long[] {id}).get(0), metadata));
    return copy;
  }

  /** How often a slot was written. */
  int writes(Slot slot) {
    return writes.getOrDefault(slot, 0);
  }

  @Override
  public byte @Nullable [] get(Slot slot) {
    return values.get(slot);
  }

  @Override
  public void put(Slot slot, byte @Nullable [] value) {
    writes.merge(slot, 1, Integer::sum);
    if (value == null) {
      values.remove(slot);
    } else {
      values.put(slot, value.clone());
    }
  }

  @Override
  public SampleStore samples() {
    return samples;
  }
}
