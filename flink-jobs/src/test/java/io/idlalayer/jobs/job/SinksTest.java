package io.idlalayer.jobs.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.ArrivalTimes;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.events.Status;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class SinksTest {
  private static DecisionEvent fired(int samples, String message) {
    long[] arrived = new long[samples];
    for (int i = 0; i < samples; i++) {
      arrived[i] = 1_700_000_000_000L + 997L * i * (i % 7);
    }
    Status status =
        new Status(
            new Status.Samples(0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            new Status.Stages(0, 0, 0, 0),
            new Status.Prequential(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            new Status.Incorporation(0, 0, 0),
            new Status.Ingestion(0, 0, 0, 0),
            new Status.HotSamples(0, 0, 0, 0),
            new Status.Decision("area", "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
            new TreeMap<>(),
            0,
            0,
            0,
            false);
    return DecisionEvent.of(
            DecisionEvent.Type.FIRED, new DecisionEvent.Origin("app", 0, 1), status, null, message)
        .with(ArrivalTimes.of(arrived));
  }

  @Test
  void aDecisionOfAnyLength_fitsARequest() {
    byte[] small = Sinks.bounded(fired(100, "why"));
    assertThat(DecisionEventCodec.decode(small).orElseThrow().arrivals()).isNotNull();
    byte[] large = Sinks.bounded(fired(1_000_000, "x".repeat(3 << 20)));
    assertThat(large.length).isLessThan(Sinks.VALUE_BYTES_MAX);
    DecisionEvent shortened = DecisionEventCodec.decode(large).orElseThrow();
    assertThat(shortened.arrivals()).isNull();
    assertThat(shortened.message()).startsWith("left out, as the event had ");
  }
}
