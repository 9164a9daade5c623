package io.idlalayer.jobs.events;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

final class DecisionEventSizeTest {
  private static final DecisionEvent.Origin ORIGIN =
      new DecisionEvent.Origin("a".repeat(100), 7, 1_700_000_000_000L);

  private static Status status(int inputs, String topic) {
    Status status = ExampleEvents.status(ExampleEvents.received(0), 1);
    for (int i = 0; i < inputs; i++) {
      status.inputOffsets().put(topic + "-" + i, Long.MAX_VALUE);
    }
    return status;
  }

  private static long[] times(long seed, int count) {
    return new SplittableRandom(seed).longs(count, 0, 40L * 365 * 24 * 3600 * 1000).toArray();
  }

  @Test
  void aFiringOfAMillionDifferentTimes_isManyEvents_eachSmall() {
    List<ArrivalTimes> parts = ArrivalTimes.of(times(1, 1_000_000)).split();
    assertThat(parts).hasSize(245);
    for (ArrivalTimes part : parts) {
      DecisionEvent event =
          DecisionEvent.of(DecisionEvent.Type.ARRIVALS, ORIGIN, status(64, "events"), null, "")
              .with(part);
      byte[] bytes = DecisionEventCodec.encode(event);
      assertThat(bytes.length).isLessThan(128 << 10);
      assertThat(DecisionEventCodec.decode(bytes)).contains(event);
    }
  }

  @Test
  void aPlan_ofTheLongestStep_isSmallAndReadAgain() {
    List<Long> bytes = Collections.nCopies(240, Long.MAX_VALUE / 2);
    StepPlan plan =
        new StepPlan(
            "autovm", "r".repeat(4_000), 9, 9, 9, 9, 9, 9, bytes, bytes, bytes, bytes, bytes);
    DecisionEvent event =
        DecisionEvent.of(DecisionEvent.Type.PLANNED, ORIGIN, status(64, "events"), null, "")
            .with(plan);
    byte[] encoded = DecisionEventCodec.encode(event);
    assertThat(encoded.length).isLessThan(64 << 10);
    assertThat(DecisionEventCodec.decode(encoded)).contains(event);
  }

  @Property(tries = 50)
  void parts_sayExactlyWhatTheWholeSaid(
      @ForAll long seed, @ForAll @IntRange(max = 20_000) int count) {
    long[] millis = times(seed, count);
    List<Long> again = new ArrayList<>();
    List<ArrivalTimes> parts = ArrivalTimes.of(millis).split();
    for (int i = 0; i < parts.size(); i++) {
      ArrivalTimes part = parts.get(i);
      assertThat(part.part()).isEqualTo(i + 1);
      assertThat(part.parts()).isEqualTo(parts.size());
      for (int run = 0; run < part.counts().length; run++) {
        for (int each = 0; each < part.counts()[run]; each++) {
          again.add(part.firstMillis() + part.afterMillis()[run]);
        }
      }
    }
    Arrays.sort(millis);
    assertThat(again.stream().mapToLong(Long::longValue).toArray()).isEqualTo(millis);
  }

  @Test
  void namesWithoutMeasure_areCut_soThatTheBrokerTakesTheEvent() {
    Status.Input news = new Status.Input(5, List.of(), 6, 7, List.of("end"));
    DecisionEvent event =
        DecisionEvent.of(
            DecisionEvent.Type.DROPPED,
            ORIGIN,
            status(10_000, "t".repeat(240)).with(news),
            null,
            "x".repeat(5 << 20));
    byte[] bytes = DecisionEventCodec.encode(event.in("job-1"));
    assertThat(bytes.length).isLessThan(DecisionEventCodec.MOST_BYTES);
    DecisionEvent read = DecisionEventCodec.decode(bytes).orElseThrow();
    assertThat(read.status().inputOffsets()).hasSize(256);
    assertThat(read.status().input())
        .as("who follows the run and waits for its end finds both")
        .isEqualTo(news.in("job-1"));
    assertThat(read.message()).startsWith("xxx").contains("characters)");
    assertThat(read.message().endsWith("shortened)")).isTrue();
    assertThat(SampleView.asked("y".repeat(1 << 20)).getBytes(StandardCharsets.UTF_8).length)
        .isLessThan(600);
    assertThat(SampleView.asked("click-7")).isEqualTo("click-7");
  }

  @Test
  void statusOfAnotherProgram_withoutAPart_isPassedOver() {
    DecisionEvent event =
        DecisionEvent.of(DecisionEvent.Type.STATUS, ORIGIN, status(1, "events"), null, "");
    String json = new String(DecisionEventCodec.encode(event), StandardCharsets.UTF_8);
    String without = json.replace("\"progress\":", "\"somethingElse\":");
    assertThat(without).isNotEqualTo(json);
    assertThat(DecisionEventCodec.decode(without.getBytes(StandardCharsets.UTF_8))).isEmpty();
  }
}
