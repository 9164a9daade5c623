package io.idlalayer.jobs.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.report.SavedState;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** What Flink knows of a job's checkpoints, asked at its REST address while the job runs. */
public final class JobCheckpoints {
  private static final Duration ANSWER = Duration.ofSeconds(10);
  private static final int OK = 200;
  private static final ObjectMapper JSON = new ObjectMapper();

  private JobCheckpoints() {}

  /**
   * Asks.
   *
   * @param rest such as {@code http://127.0.0.1:8081}
   * @param jobId as Flink writes it
   * @throws IOException if nobody answers within ten seconds, or not with numbers
   */
  public static SavedState.Checkpoints ask(URI rest, String jobId)
      throws IOException, InterruptedException {
    URI address = rest.resolve("/jobs/" + jobId + "/checkpoints");
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(address).timeout(ANSWER).build(),
                HttpResponse.BodyHandlers.ofString());
    if (answer.statusCode() != OK) {
      throw new IOException("%s answers with status %d".formatted(address, answer.statusCode()));
    }
    return of(JSON.readTree(answer.body()));
  }

  /**
   * Reads an answer.
   *
   * @throws IOException if it has no such numbers
   */
  static SavedState.Checkpoints of(JsonNode answer) throws IOException {
    long completed = number(answer, "/counts/completed");
    long failed = number(answer, "/counts/failed");
    if (completed == 0) {
      return new SavedState.Checkpoints(0, failed, null, null, null);
    }
    return new SavedState.Checkpoints(
        completed,
        failed,
        seconds(answer),
        bytes(answer, "state_size"),
        bytes(answer, "checkpointed_size"));
  }

  private static SavedState.Seconds seconds(JsonNode answer) throws IOException {
    SavedState.Bytes millis = bytes(answer, "end_to_end_duration");
    return new SavedState.Seconds(
        millis.last() / 1e3, millis.median() / 1e3, millis.p99() / 1e3, millis.most() / 1e3);
  }

  private static SavedState.Bytes bytes(JsonNode answer, String of) throws IOException {
    return new SavedState.Bytes(
        number(answer, "/latest/completed/" + of),
        number(answer, "/summary/" + of + "/p50"),
        number(answer, "/summary/" + of + "/p99"),
        number(answer, "/summary/" + of + "/max"));
  }

  /** Quantiles are written as decimal numbers. */
  private static long number(JsonNode answer, String at) throws IOException {
    JsonNode number = answer.at(at);
    if (!number.isNumber()) {
      throw new IOException("Flink's answer has no number at " + at + ": " + number);
    }
    return Math.round(number.asDouble());
  }
}
