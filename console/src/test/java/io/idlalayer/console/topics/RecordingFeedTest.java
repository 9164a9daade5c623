package io.idlalayer.console.topics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.console.ConsoleEvents;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.replay.DamagedRecordingException;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
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

  @Test
  void aLastLineThatIsCut_endsTheRecording() throws IOException {
    Path file = file(line(1_000) + line(2_000) + line(3_000).substring(0, 500));
    List<DecisionEvent> events = new ArrayList<>();
    try (RecordingFeed feed = new RecordingFeed(file, 0, nanos::get)) {
      assertThat(feed.note()).isEmpty();
      feed.history(events::add);
      assertThat(events).extracting(DecisionEvent::atMillis).containsExactly(1_000L, 2_000L);
      assertThat(feed.note()).contains("recording.jsonl:3", "ends before it");
    }
    Path whole = file(line(1_000) + line(2_000).strip());
    try (RecordingFeed feed = new RecordingFeed(whole, 0, nanos::get)) {
      feed.history(events::add);
      assertThat(events).hasSize(4);
      assertThat(feed.note()).isEmpty();
    }
    Path inTheMiddle = file(line(1_000) + line(2_000).substring(0, 500) + "\n" + line(3_000));
    try (RecordingFeed feed = new RecordingFeed(inTheMiddle, 0, nanos::get)) {
      assertThatThrownBy(() -> feed.history(event -> {}))
          .isInstanceOf(DamagedRecordingException.class)
          .hasMessageContaining("recording.jsonl:2");
    }
  }

  @Test
  void gzipDataThatIsCut_endsTheRecording() throws IOException {
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new GZIPOutputStream(packed, 512, true)) {
      out.write((line(1_000) + line(2_000)).getBytes(StandardCharsets.UTF_8));
      out.flush();
      out.write(line(3_000).getBytes(StandardCharsets.UTF_8));
    }
    byte[] bytes = packed.toByteArray();
    Path file = folder.resolve("recording.jsonl.gz");
    // Without its last bytes, the length and the check sum, and without some of its data.
    for (int missing : new int[] {4, 30}) {
      Files.write(file, Arrays.copyOf(bytes, bytes.length - missing));
      List<DecisionEvent> events = new ArrayList<>();
      try (RecordingFeed feed = new RecordingFeed(file, 0, nanos::get)) {
        feed.history(events::add);
        assertThat(events).hasSize(missing == 4 ? 3 : 2);
        assertThat(feed.note()).contains("recording.jsonl.gz", "the recording ends");
      }
    }
    assertDamaged(file, Arrays.copyOf(bytes, 5), "ends in the header of its gzip data");
    byte[] otherMethod = bytes.clone();
    otherMethod[2] = 9;
    assertDamaged(file, otherMethod, "is damaged: it begins like gzip");
  }

  @Test
  void aFileThatHoldsNoText_isDamaged() throws IOException {
    Path file = folder.resolve("recording.jsonl");
    assertDamaged(file, new byte[] {'P', 'K', 3, 4, 0, 0}, "is cut off: it is a zip archive");
    assertDamaged(file, new byte[] {(byte) 0x89, 'H', 'D', 'F', 0}, "an HDF5 file");
    assertDamaged(file, new byte[] {(byte) 0xFF, (byte) 0xFE, 0, 0, '{', 0, 0, 0}, "in UTF-32");
  }

  private void assertDamaged(Path file, byte[] bytes, String reason) throws IOException {
    Files.write(file, bytes);
    assertThatThrownBy(() -> new RecordingFeed(file, 0, nanos::get))
        .isInstanceOf(DamagedRecordingException.class)
        .hasMessageContainingAll(file.toString(), reason);
  }

  @Test
  void aDamagedRecording_isReadAgainWhenItChanges() throws IOException {
    Path file = file("{}\n" + line(1_000));
    RecordingSource source = new RecordingSource(file, 0, nanos::get);
    assertThatThrownBy(source::open)
        .isInstanceOfSatisfying(
            DamagedRecordingException.class,
            damaged -> assertThat(source.mayGoBetter(damaged)).isFalse());
    assertThat(source.mayGoBetter(new IOException("the disk does not answer"))).isTrue();
    file(line(1_000));
    assertThat(source.mayGoBetter(new DamagedRecordingException("as above"))).isTrue();
    source.open().close();
  }

  @Test
  void theRecordingOfTheBrowserTests_hasEveryNumberOfTodaysEvents() throws IOException {
    ObjectMapper json = new ObjectMapper();
    try (InputStream packed = RecordingFeedTest.class.getResourceAsStream("/recording.jsonl.gz");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(new GZIPInputStream(packed), StandardCharsets.UTF_8))) {
      Set<String> missing = new TreeSet<>();
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
        DecisionEvent event = DecisionEventCodec.decode(bytes).orElseThrow();
        Set<String> today = numbers(json.readTree(DecisionEventCodec.encode(event)), "");
        today.removeAll(numbers(json.readTree(bytes), ""));
        missing.addAll(today);
      }
      assertThat(missing)
          .as("record anew, or add what the recorded build would have said")
          .isEmpty();
    }
  }

  /** Returns the paths of all numbers outside of arrays. */
  private static Set<String> numbers(JsonNode node, String prefix) {
    Set<String> paths = new TreeSet<>();
    for (Map.Entry<String, JsonNode> field : node.properties()) {
      String path = prefix + "/" + field.getKey();
      if (field.getValue().isNumber()) {
        paths.add(path);
      }
      paths.addAll(numbers(field.getValue(), path));
    }
    return paths;
  }
}
