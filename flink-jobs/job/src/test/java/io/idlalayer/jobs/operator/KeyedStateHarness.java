package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.learner.state.LearnerState;
import java.nio.file.Path;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.jspecify.annotations.Nullable;

/** Keyed state of learners in a real RocksDB, and no job around it. */
final class KeyedStateHarness implements AutoCloseable {
  private final Holder holder;
  private final KeyedOneInputStreamOperatorTestHarness<String, String, String> harness;

  /** Opens the state and does nothing else. */
  private static final class Holder extends KeyedProcessFunction<String, String, String> {
    private static final long serialVersionUID = 1L;
    private final String folder;
    private transient LearnerState state;

    Holder(String folder) {
      this.folder = folder;
    }

    @Override
    public void open(OpenContext context) {
      state = new FlinkLearnerState(getRuntimeContext(), folder);
    }

    @Override
    public void processElement(String element, Context context, Collector<String> out) {}
  }

  /**
   * @param snapshot that is restored; null for empty state
   */
  KeyedStateHarness(Path folder, @Nullable OperatorSubtaskState snapshot) throws Exception {
    holder = new Holder(folder.toString());
    harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(holder),
            key -> key,
            Types.STRING,
            HarnessEnvironment.in(folder));
    harness.setStateBackend(new EmbeddedRocksDBStateBackend());
    if (snapshot != null) {
      harness.initializeState(snapshot);
    }
    harness.open();
    key("key");
  }

  /** Sets the current key, which stays until the next call. */
  void key(String key) throws Exception {
    harness.processElement(key, 0);
  }

  LearnerState state() {
    return holder.state;
  }

  OperatorSubtaskState snapshot() throws Exception {
    return harness.snapshot(1, 1);
  }

  @Override
  public void close() throws Exception {
    harness.close();
  }
}
