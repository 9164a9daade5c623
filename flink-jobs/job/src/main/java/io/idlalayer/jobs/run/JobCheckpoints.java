package io.idlalayer.jobs.run;

import com.fasterxml.jackson.databind.JsonNode;
import io.idlalayer.jobs.checkpoint.CheckpointCounts;
import io.idlalayer.jobs.report.SavedState;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the facts about a job's checkpoints from Flink's REST address while the job runs. */
public final class JobCheckpoints {
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private JobCheckpoints() {}

  /** Finds where Flink listens, such as {@code http://127.0.0.1:8081}. */
  @FunctionalInterface
  public interface RestAddress {
    URI find() throws IOException, InterruptedException;
  }

  /**
   * Asks Flink for the facts about a job's checkpoints; if that fails, warns and returns null. A
   * job must not fail because its report lacks something, so a failure is only a warning.
   *
   * @param warn receives the reason if nothing is known
   * @return null if nothing is known
   */
  public static SavedState.@Nullable Checkpoints askOrWarn(
      RestAddress rest, String jobId, Consumer<String> warn) throws InterruptedException {
    try {
      return ask(rest.find(), jobId);
    } catch (IOException | RuntimeException unknown) {
      warn.accept("warning: Flink did not say which checkpoints exist: " + unknown.getMessage());
      return null;
    }
  }

  /**
   * Asks Flink for the facts about a job's checkpoints.
   *
   * @param rest REST address, such as {@code http://127.0.0.1:8081}
   * @param jobId id of the job, as Flink writes it
   * @throws IOException if no answer comes within ten seconds, or the answer has no numbers
   */
  public static SavedState.Checkpoints ask(URI rest, String jobId)
      throws IOException, InterruptedException {
    return of(FlinkRest.get(rest.resolve("/jobs/" + jobId + "/checkpoints"), ANSWER));
  }

  /**
   * Asks Flink how many checkpoints of a job are complete and have failed.
   *
   * @throws IOException if no answer comes within ten seconds, or the answer has no numbers
   */
  static CheckpointCounts counts(URI rest, String jobId) throws IOException, InterruptedException {
    return counted(FlinkRest.get(rest.resolve("/jobs/" + jobId + "/checkpoints"), ANSWER));
  }

  static CheckpointCounts counted(JsonNode answer) throws IOException {
    return new CheckpointCounts(
        number(answer, "/counts/completed"),
        number(answer, "/counts/failed"),
        answer.at("/latest/failed/failure_message").textValue());
  }

  /**
   * Extracts the facts about checkpoints from Flink's answer.
   *
   * @throws IOException if a number is missing in the answer
   */
  static SavedState.Checkpoints of(JsonNode answer) throws IOException {
    long completed = number(answer, "/counts/completed");
    long failed = number(answer, "/counts/failed");
    // Savepoints are counted too, but none of them is the latest checkpoint.
    JsonNode latest = answer.at("/latest/completed");
    if (completed == 0 || latest.isNull() || latest.isMissingNode()) {
      return new SavedState.Checkpoints(completed, failed, null, null, null);
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

  /**
   * Returns a number in Flink's answer as a whole number, because quantiles are written as decimal
   * numbers.
   */
  private static long number(JsonNode answer, String at) throws IOException {
    JsonNode number = answer.at(at);
    if (!number.isNumber()) {
      throw new IOException("Flink's answer has no number at " + at + ": " + number);
    }
    return Math.round(number.asDouble());
  }
}
