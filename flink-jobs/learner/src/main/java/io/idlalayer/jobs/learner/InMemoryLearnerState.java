package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The state of one learner on the heap. It outlives the learner, but not the process. */
final class InMemoryLearnerState implements LearnerState {
  private final Map<Slot, byte[]> values = new EnumMap<>(Slot.class);
  private final SampleStore samples;
  private final RowStore rows = new InMemoryRowStore();

  InMemoryLearnerState(SampleStore samples) {
    this.samples = samples;
  }

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

  @Override
  public RowStore rows() {
    return rows;
  }
}
