package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.idlalayer.jobs.report.SavedState;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What Flink's REST interface answers of checkpoints; {@code EmbeddedFlinkIT} asks a real one. */
final class JobCheckpointsTest {
  /** Flink 2.3's answer, without the fields that are not read. */
  private static final String ANSWER =
      """
      {"counts": {"restored": 1, "total": 9, "in_progress": 1, "completed": 7, "failed": 1},
       "summary": {
         "checkpointed_size": {"min": 100, "max": 900, "avg": 300, "p50": 250.5, "p99": 890.0},
         "state_size": {"min": 1000, "max": 9000, "avg": 3000, "p50": 2500.0, "p99": 8900.0},
         "end_to_end_duration": {"min": 3, "max": 1250, "avg": 40, "p50": 30.0, "p99": 1200.0}},
       "latest": {"completed":
         {"id": 8, "state_size": 9000, "checkpointed_size": 120, "end_to_end_duration": 45}},
       "history": []}
      """;

  private static final String NONE_YET =
      """
      {"counts": {"restored": 0, "total": 2, "in_progress": 1, "completed": 0, "failed": 1},
       "summary": {
         "checkpointed_size": {"min": 0, "max": 0, "avg": 0, "p50": "NaN", "p99": "NaN"},
         "state_size": {"min": 0, "max": 0, "avg": 0, "p50": "NaN", "p99": "NaN"},
         "end_to_end_duration": {"min": 0, "max": 0, "avg": 0, "p50": "NaN", "p99": "NaN"}},
       "latest": {"completed": null}, "history": []}
      """;

  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private URI at() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void answer(int status, String text) {
    server.createContext(
        "/jobs/ab12/checkpoints",
        exchange -> {
          byte[] body = text.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
  }

  @Test
  void ask_withCheckpoints_hasTheirSecondsAndBytes() throws Exception {
    answer(200, ANSWER);
    assertThat(JobCheckpoints.ask(at(), "ab12"))
        .isEqualTo(
            new SavedState.Checkpoints(
                7,
                1,
                new SavedState.Seconds(0.045, 0.03, 1.2, 1.25),
                new SavedState.Bytes(9000, 2500, 8900, 9000),
                new SavedState.Bytes(120, 251, 890, 900)));
  }

  @Test
  void ask_beforeTheFirstCheckpoint_hasNoSummary() throws Exception {
    answer(200, NONE_YET);
    assertThat(JobCheckpoints.ask(at(), "ab12"))
        .isEqualTo(new SavedState.Checkpoints(0, 1, null, null, null));
  }

  @Test
  void ask_jobUnknown_saysWhoAnsweredWhat() {
    answer(404, "{\"errors\": [\"Job could not be found\"]}");
    assertThatThrownBy(() -> JobCheckpoints.ask(at(), "ab12"))
        .isInstanceOf(IOException.class)
        .hasMessage(at() + "/jobs/ab12/checkpoints answers with status 404");
  }

  /** Flink counts savepoints as completed; the latest checkpoint is none of them. */
  @Test
  void ask_afterASavepointOnly_hasNoSummary() throws Exception {
    answer(
        200,
        ANSWER.replaceAll("(?s)\"latest\": \\{.*?\\}\\}", "\"latest\": {\"completed\": null}"));
    assertThat(JobCheckpoints.ask(at(), "ab12"))
        .isEqualTo(new SavedState.Checkpoints(7, 1, null, null, null));
  }

  @Test
  void askOrWarn_whateverFails_isAWarning() throws Exception {
    List<String> warned = new ArrayList<>();
    answer(200, ANSWER);
    assertThat(JobCheckpoints.askOrWarn(this::at, "ab12", warned::add)).isNotNull();
    assertThat(warned).isEmpty();
    assertThat(JobCheckpoints.askOrWarn(this::at, "cd34", warned::add)).isNull();
    JobCheckpoints.RestAddress broken =
        () -> {
          throw new IllegalStateException("no such place");
        };
    assertThat(JobCheckpoints.askOrWarn(broken, "ab12", warned::add)).isNull();
    assertThat(warned)
        .hasSize(2)
        .allMatch(text -> text.startsWith("warning: Flink did not say which checkpoints exist"));
    assertThat(warned.get(0)).endsWith("answers with status 404");
    assertThat(warned.get(1)).endsWith("no such place");
  }

  @Test
  void of_anotherFormat_namesWhatIsMissing() throws Exception {
    JsonNode renamed =
        new ObjectMapper().readTree(ANSWER.replace("checkpointed_size", "written_size"));
    assertThatThrownBy(() -> JobCheckpoints.of(renamed))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("no number at /latest/completed/checkpointed_size");
  }
}
