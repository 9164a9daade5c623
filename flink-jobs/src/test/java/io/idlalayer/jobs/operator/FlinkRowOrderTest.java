package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.LearnerState;
import io.idlalayer.middleware.embedding.RowStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.streaming.api.operators.KeyedProcessOperator;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.apache.flink.util.Collector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows in real keyed state in a real RocksDB. */
final class FlinkRowOrderTest {
  @TempDir Path folder;

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

  /** Files of all rows are written in the order of the store. */
  @Test
  void rows_keysOfAllSizes_ascendAsUnsignedNumbers() throws Exception {
    Holder holder = new Holder();
    try (var harness =
        new KeyedOneInputStreamOperatorTestHarness<>(
            new KeyedProcessOperator<>(holder),
            key -> key,
            Types.STRING,
            HarnessEnvironment.in(folder))) {
      harness.setStateBackend(new EmbeddedRocksDBStateBackend());
      harness.open();
      harness.processElement("key", 0);
      RowStore store = holder.state.rows();
      Map<Long, byte[]> rows = new HashMap<>();
      SplittableRandom random = new SplittableRandom(1);
      for (int i = 0; i < 1_000; i++) {
        rows.put(random.nextLong() >> random.nextInt(64), new byte[] {(byte) i});
      }
      store.write(rows);
      List<Long> found = new ArrayList<>();
      store.rows().forEachRemaining(row -> found.add(row.getKey()));
      Long[] expected = rows.keySet().toArray(Long[]::new);
      Arrays.sort(expected, Long::compareUnsigned);
      assertThat(found).containsExactly(expected);
    }
  }
}
