package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleStore;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Learner state in maps: survives the learner, so that a test can restore another one from it. */
final class MapLearnerState implements LearnerState {
  private final Map<Slot, byte[]> values = new EnumMap<>(Slot.class);
  private final SampleStore samples = new InMemorySampleStore();

  @Override
  public byte @Nullable [] get(Slot slot) {
    return values.get(slot);
  }

  @Override
  public void put(Slot slot, byte @Nullable [] value) {
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
