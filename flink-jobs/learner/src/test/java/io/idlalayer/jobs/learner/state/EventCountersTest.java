package io.idlalayer.jobs.learner.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.selection.Selection;
import org.junit.jupiter.api.Test;

final class EventCountersTest {
  private static InputPosition at(int partition, long offset) {
    return new InputPosition("events", partition, offset);
  }

  private static EventCounters restored(EventCounters counters) {
    EventCounters restored = new EventCounters();
    restored.restore(counters.snapshot());
    return restored;
  }

  @Test
  void restore_bringsEverythingBack() {
    EventCounters counters = new EventCounters();
    for (int i = 0; i < 10; i++) {
      counters.received(at(0, 32 + i));
    }
    counters.malformed();
    counters.unlabeled(2);
    counters.duplicate();
    counters.revived();
    counters.labelJoined();
    counters.merged();
    counters.changed();
    counters.labelsGivenUp(3);
    counters.quarantined(6);
    counters.accepted(new Selection(8, new long[] {1, 2, 3}, new long[0], new long[] {2}));
    counters.published(9);
    counters.passed(at(1, 7));

    EventCounters restored = restored(counters);

    assertThat(restored).usingRecursiveComparison().ignoringFields("inputs").isEqualTo(counters);
    assertThat(restored.inputOffsets()).isEqualTo(counters.inputOffsets());
    assertThat(restored.samples(4, 9, 5, 3)).isEqualTo(counters.samples(4, 9, 5, 3));
    assertThat(restored.updates()).isEqualTo(8);
    assertThat(restored.trainedNewSamples()).isEqualTo(3);
  }

  @Test
  void aPositionNeverGoesBack_butWithItsLog() {
    EventCounters counters = new EventCounters();
    counters.received(at(0, 6));
    counters.passed(at(0, 2));
    assertThat(counters.inputOffsets()).containsEntry("events-0", 7L);
    counters.cut(at(0, 4));
    counters.cut(at(3, 4));
    assertThat(counters.inputOffsets()).containsOnlyKeys("events-0").containsEntry("events-0", 4L);
  }

  @Test
  void received_afterTheEnd_reopensTheInput() {
    EventCounters counters = new EventCounters();
    counters.finish();
    counters.received(at(0, 6));
    assertThat(counters.finished()).isFalse();
  }

  @Test
  void finish_staysThroughState() {
    EventCounters counters = new EventCounters();
    counters.finish();
    assertThat(restored(counters).finished()).isTrue();
  }
}
