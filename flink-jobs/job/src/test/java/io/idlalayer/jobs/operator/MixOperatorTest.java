package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.mixing.MixingRecord;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.kafka.ModelNotice;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.TreeMap;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MixOperatorTest {
  @TempDir Path folder;

  private MixFunction mixing() throws Exception {
    ApplicationSettings application =
        ApplicationFiles.read(
            folder.resolve("app.yaml"),
            "name: app\npartitions: 2\nmixing: {action: average}\ninput: {features: [x], label: y, classes: 2}\n");
    return new MixFunction(List.of(application), folder.resolve("models"));
  }

  private static KeyedOneInputStreamOperatorTestHarness<String, byte[], ModelNotice> harness(
      MixFunction mixing) throws Exception {
    return new KeyedOneInputStreamOperatorTestHarness<>(
        new MixOperator(mixing), bytes -> MixingRecord.decode(bytes).application(), Types.STRING);
  }

  /** A contribution whose files are not there. */
  private static StreamRecord<byte[]> contribution(int partition) {
    return new StreamRecord<>(
        new MixingRecord(
                "app", partition, false, "one", 0, 1, "gone", 10, 10, new TreeMap<>(), true)
            .encode());
  }

  @Test
  void open_restoredRound_isWaitedForAtTheEndOfTheInput() throws Exception {
    OperatorSubtaskState snapshot;
    MixFunction before = mixing();
    try (var harness = harness(before)) {
      harness.open();
      // The round waits for the other partition, so no thread works on it yet.
      harness.processElement(contribution(0));
      assertThat(before.idle()).isFalse();
      snapshot = harness.snapshot(1, 1);
    }
    MixFunction after = mixing();
    try (var harness = harness(after)) {
      harness.initializeState(snapshot);
      harness.open();
      assertThat(after.idle()).as("a round of the state is under way").isFalse();
      long[] now = {0};
      Awaitility.await()
          .atMost(Duration.ofSeconds(30))
          .until(
              () -> {
                harness.setProcessingTime(now[0] += 1_000);
                return after.idle();
              });
    }
  }

  @Test
  void open_withoutState_hasNothingToWaitFor() throws Exception {
    MixFunction mixing = mixing();
    try (var harness = harness(mixing)) {
      harness.open();
      assertThat(mixing.idle()).isTrue();
    }
  }
}
