package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.state.InputPosition;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class InputRequestsTest {
  private static final InputPosition AT = new InputPosition("events", 0, 0);

  private static SortedMap<String, Long> after(long... next) {
    TreeMap<String, Long> after = new TreeMap<>();
    for (int i = 0; i < next.length; i++) {
      after.put("events-" + i, next[i]);
    }
    return after;
  }

  private static SortedMap<String, Long> read(long... next) {
    TreeMap<String, Long> read = new TreeMap<>();
    for (int i = 0; i < next.length; i++) {
      read.put("events-" + i, next[i]);
    }
    return read;
  }

  private static LearnerEvent.LostInput lost(long from, long until) {
    return new LearnerEvent.LostInput(new InputPosition("events", 0, from), until, "retention");
  }

  @Test
  void due_request_waitsForEveryPartition() {
    InputRequests requests = new InputRequests();
    requests.add(new LearnerEvent.EndOfInput(AT, "e", after(7, 9)));
    requests.add(new LearnerEvent.RetractionRequest(AT, "s", after()));
    assertThat(requests.due(read(7))).extracting(InputRequests.Request::id).containsExactly("s");
    assertThat(requests.due(read(7, 8))).isEmpty();
    assertThat(requests.due(read(7, 9))).extracting(InputRequests.Request::id).containsExactly("e");
    assertThat(requests.anyWaits()).isFalse();
  }

  @Test
  void restore_snapshot_bringsEverythingBack() {
    InputRequests requests = new InputRequests();
    assertThat(requests.takeChanged()).as("nothing to write").isFalse();
    requests.add(new LearnerEvent.EndOfInput(AT, "waits", after(7)));
    requests.reached("done", 1);
    requests.finish();
    requests.reached("reached", 2);
    requests.lost(lost(8, 3_508));
    requests.reread();
    requests.refused();
    assertThat(requests.takeChanged()).isTrue();
    InputRequests restored = new InputRequests();
    restored.restore(requests.snapshot());
    assertThat(requests.takeChanged()).isFalse();
    restored.restoredAt(50);
    assertThat(restored.status()).isEqualTo(requests.status());
    assertThat(restored.status().lostOffsets()).isEqualTo(3_500);
    assertThat(restored.status().ends()).containsExactly("done");
    assertThat(restored.ending()).isTrue();
    assertThat(restored.reachedAtMillis()).isEqualTo(50);
    assertThat(restored.due(new TreeMap<>(Map.of("events-0", 7L)))).hasSize(1);
    restored.finish();
    assertThat(restored.status().ends()).containsExactly("done", "reached");
  }

  @Test
  void add_manyRequests_isBounded() {
    InputRequests requests = new InputRequests();
    for (int i = 0; i < InputRequests.WAITING_MAX; i++) {
      assertThat(requests.add(new LearnerEvent.UpdateRequest(AT, after(7)))).isNull();
    }
    assertThat(requests.add(new LearnerEvent.UpdateRequest(AT, after(7))))
        .contains("1024 requests");
    for (int i = 0; i < 100; i++) {
      requests.lost(lost(i, i + 1));
      requests.reached("e" + i, 1);
      requests.finish();
    }
    assertThat(requests.status().lostOffsets()).isEqualTo(100);
    assertThat(requests.status().lost()).hasSize(64);
    assertThat(requests.status().ends()).hasSize(16).endsWith("e99");
    assertThat(requests.status().refusedControls()).isEqualTo(1);
  }
}
