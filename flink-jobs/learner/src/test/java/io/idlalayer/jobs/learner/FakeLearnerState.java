package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.store.InMemorySampleStore;
import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.store.RowStore;
import java.lang.reflect.Proxy;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * State on the heap, of one learner: it outlives the learner, but not the process. It can be
 * copied, as a checkpoint does, and counts what is written.
 */
public final class FakeLearnerState implements LearnerState {
  private final Map<Slot, byte[]> values = new EnumMap<>(Slot.class);
  private final Map<Slot, Integer> writes = new EnumMap<>(Slot.class);
  private final SampleStore samples;
  private InMemoryRowStore rows = new InMemoryRowStore();
  private IntConsumer whenRowsAreRead = count -> {};
  private Runnable whenRowsAreWritten = () -> {};

  public FakeLearnerState() {
    this(new InMemorySampleStore());
  }

  /** Keeps samples in this store, which is empty. */
  FakeLearnerState(SampleStore samples) {
    this.samples = samples;
  }

  /** A copy as a checkpoint keeps it. */
  FakeLearnerState copy() {
    FakeLearnerState copy = new FakeLearnerState();
    values.forEach((slot, value) -> copy.values.put(slot, value.clone()));
    samples.forEachMetadata(
        (id, metadata) -> copy.samples.put(id, samples.payloads(new long[] {id}).get(0), metadata));
    copy.rows = rows.copy();
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

  /**
   * A fault of the rows.
   *
   * @param reads is told how many rows are read at once, and may throw
   */
  void whenRowsAreRead(IntConsumer reads) {
    whenRowsAreRead = reads;
  }

  /** Calls back before rows are written. */
  void whenRowsAreWritten(Runnable writes) {
    whenRowsAreWritten = writes;
  }

  @Override
  public RowStore rows() {
    RowStore all = rows;
    return (RowStore)
        Proxy.newProxyInstance(
            RowStore.class.getClassLoader(),
            new Class<?>[] {RowStore.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("read")) {
                whenRowsAreRead.accept((int) arguments[1]);
              } else if (method.getName().equals("write")) {
                whenRowsAreWritten.run();
              }
              return method.invoke(all, arguments);
            });
  }
}
