package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SampleStoreContract;
import io.idlalayer.jobs.learner.LearnerState;
import java.nio.file.Path;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real keyed state in a real RocksDB. */
final class FlinkSampleStoreTest extends SampleStoreContract {
  @TempDir Path folder;
  private KeyedOneInputStreamOperatorTestHarness<String, String, String> harness;

  /** Opens the state and does nothing else. */
  private static final class Holder extends KeyedProcessFunction<String, String, String> {
    private static final long serialVersionUID = 1L;
    private transient LearnerState state;

    @Override
    public void open(OpenContext context) {
      state = new FlinkLearnerState(getRuntimeContext());
    }

    @Override
    public void processElement(String element, Context context, Collector<String> out) {}
  }

  @Override
  protected SampleStore open() throws Exception {
    Holder holder = new Holder();
    harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(holder),
            key -> key,
            Types.STRING,
            HarnessEnvironment.in(folder));
    harness.setStateBackend(new EmbeddedRocksDBStateBackend());
    harness.open();
    // Sets the current key, which stays until the next element.
    harness.processElement("key", 0);
    return holder.state.samples();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }
}
