package io.idlalayer.console.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class RecordingFeedTest {
  @TempDir Path folder;
  private final AtomicLong nanos = new AtomicLong();

  private static String line(long atMillis) {
    return new String(
            DecisionEventCodec.encode(ConsoleEvents.status(atMillis, 1)), StandardCharsets.UTF_8)
        + "\n";
  }

  private Path file(String text) throws IOException {
    return Files.writeString(folder.resolve("recording.jsonl"), text);
  }

  @Test
  void withoutASpeed_allOfItIsThePast() throws IOException {
    Path packed = folder.resolve("recording.jsonl.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      out.write((line(1_000) + "\n" + line(2_000)).getBytes(StandardCharsets.UTF_8));
    }
    List<DecisionEvent> events = new ArrayList<>();
    try (RecordingFeed feed = new RecordingFeed(packed, 0, nanos::get)) {
      feed.history(events::add);
      assertThat(events).extracting(DecisionEvent::atMillis).containsExactly(1_000L, 2_000L);
      assertThat(feed.poll(Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void withASpeed_eventsComeWhenTheyAreDue() throws IOException {
    Path file = file(line(1_000) + line(2_000) + line(11_000));
    try (RecordingFeed feed = new RecordingFeed(file, 10, nanos::get)) {
      List<DecisionEvent> past = new ArrayList<>();
      feed.history(past::add);
      assertThat(past).isEmpty();
      assertThat(feed.poll(Duration.ZERO)).hasSize(1);
      nanos.set(99_000_000);
      assertThat(feed.poll(Duration.ZERO)).isEmpty();
      nanos.set(100_000_000);
      assertThat(feed.poll(Duration.ZERO)).hasSize(1);
      nanos.set(1_000_000_000);
      assertThat(feed.poll(Duration.ZERO)).hasSize(1);
      assertThat(feed.poll(Duration.ZERO)).isEmpty();
    }
  }

  @Test
  void whatIsNoEvent_isNamedWithItsLine() throws IOException {
    Path file = file(line(1_000) + "{\"type\": \"STATUS\"}\n");
    try (RecordingFeed feed = new RecordingFeed(file, 0, nanos::get)) {
      assertThatThrownBy(() -> feed.history(event -> {}))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("recording.jsonl:2");
    }
    assertThatThrownBy(() -> new RecordingFeed(file("\n\n"), 0, nanos::get))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("holds no event");
  }
}
