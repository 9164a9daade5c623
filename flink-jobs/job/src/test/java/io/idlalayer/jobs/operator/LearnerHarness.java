package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.source.Arrival;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.runtime.operators.testutils.MockEnvironment;
import org.apache.flink.state.rocksdb.EmbeddedRocksDBStateBackend;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.awaitility.Awaitility;

/** The learners' operator on keyed state in a real RocksDB, under Flink's harness and its clock. */
final class LearnerHarness
    extends KeyedOneInputStreamOperatorTestHarness<String, Arrival, DecisionEvent> {

  /**
   * @param folder parent of the folders of models and of tensors
   */
  LearnerHarness(ApplicationSettings settings, Path folder, MockEnvironment environment)
      throws Exception {
    super(
        new LearningOperator(
            new LearningFunction(
                List.of(settings),
                null,
                folder.resolve("models"),
                folder.resolve("tensors"),
                null,
                null)),
        arrival -> arrival.key,
        Types.STRING,
        environment);
    setStateBackend(new EmbeddedRocksDBStateBackend(true));
  }

  /** An arrival without content. */
  static Arrival arrival(String key, byte kind, String topic, long offset) {
    Arrival arrival = new Arrival();
    arrival.key = key;
    arrival.kind = kind;
    arrival.topic = topic;
    arrival.offset = offset;
    return arrival;
  }

  /** The arrival of a sample. */
  static Arrival arrival(String key, String topic, long offset, Sample sample) {
    ContentHash hash = ContentHasher.of(sample);
    Arrival arrival = arrival(key, Arrival.SAMPLE, topic, offset);
    arrival.hashHigh = hash.high();
    arrival.hashLow = hash.low();
    arrival.body = new SampleCodec().encode(sample);
    return arrival;
  }

  /** Lets processing time pass, so that timers ring, until an event was said. */
  DecisionEvent await(String what, Predicate<DecisionEvent> wanted) {
    return Awaitility.await(what)
        .pollInSameThread()
        .pollInterval(Duration.ofMillis(1))
        .atMost(Duration.ofMinutes(5))
        .until(
            () -> {
              setProcessingTime(getProcessingTime() + 5);
              return extractOutputValues().stream().filter(wanted).findFirst();
            },
            Optional::isPresent)
        .orElseThrow();
  }
}
