package io.idlalayer.jobs.lineage;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.start.FirstStart;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The newest submissions of an application to a Flink without a work directory, in a note beside
 * its models. The submissions tell which jobs might have newer state, and whether a job's learners
 * are allowed to begin from nothing.
 *
 * @param newestLast the submissions, at most {@link #MOST}, the newest last
 */
public record Submissions(List<Submission> newestLast) {
  /** Number of submissions that are remembered. */
  public static final int MOST = 8;

  private static final String FILE = "submissions.json";
  private static final int FORMAT = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  public Submissions {
    newestLast = List.copyOf(newestLast);
  }

  /**
   * A submission of an application to a Flink.
   *
   * @param job Flink's id of the job
   * @param from checkpoint or savepoint from which Flink was told to start; null for none
   * @param fresh whether the application's learners are allowed to begin from nothing in this job
   * @param startOver word with which the lineage was started over, null if it was not
   * @param newestVersion newest published version before the submission, 0 for none
   * @param start where the application began to read; null if the application reads its topics from
   *     the beginning, or continues from a state
   */
  public record Submission(
      String job,
      @Nullable String from,
      boolean fresh,
      @Nullable String startOver,
      long newestVersion,
      @Nullable FirstStart start) {}

  /** Returns the JSON of a note; a missing node, which has no format, if it is none. */
  private static JsonNode parsed(byte[] note) throws IOException {
    try {
      return JSON.readTree(note);
    } catch (JacksonException damaged) {
      return MissingNode.getInstance();
    }
  }

  /**
   * Reads the submissions of an application. The list is empty if there is no note.
   *
   * @throws IOException if the note cannot be read
   */
  public static Submissions read(ModelStore store, String application) throws IOException {
    Optional<byte[]> note = store.note(application, FILE);
    if (note.isEmpty()) {
      return new Submissions(List.of());
    }
    JsonNode text = parsed(note.get());
    if (text.path("format").asInt() != FORMAT) {
      throw new IOException(
          "%s/%s in %s is not a note of submissions of format %d; if it is lost, delete it and continue with -s"
              .formatted(application, FILE, store.address(), FORMAT));
    }
    List<Submission> submissions = new ArrayList<>();
    for (JsonNode each : text.path("submissions")) {
      submissions.add(
          new Submission(
              each.path("job").asText(),
              each.path("from").textValue(),
              each.path("fresh").asBoolean(),
              each.path("startOver").textValue(),
              each.path("newestVersion").asLong(),
              start(each.path("start"), application, store)));
    }
    return new Submissions(submissions);
  }

  private static @Nullable FirstStart start(JsonNode text, String application, ModelStore store)
      throws IOException {
    try {
      return FirstStart.read(text).get(application);
    } catch (IllegalArgumentException damaged) {
      throw new IOException(
          "%s/%s in %s is damaged: %s; if it is lost, delete it and continue with -s"
              .formatted(application, FILE, store.address(), damaged.getMessage()),
          damaged);
    }
  }

  /** Returns the newest submission, or null if there is none. */
  public @Nullable Submission newest() {
    return newestLast.isEmpty() ? null : newestLast.get(newestLast.size() - 1);
  }

  /** Returns the word with which the lineage was started over, or null if it was not. */
  public @Nullable String startOver() {
    Submission newest = newest();
    return newest == null ? null : newest.startOver();
  }

  /**
   * Returns where the application began to read, if the newest submission is of the given job. This
   * is the case when the JobManager of the job has restarted. Returns null if the newest submission
   * is of another job, or if no such position is noted.
   */
  public @Nullable FirstStart start(String job) {
    Submission newest = newest();
    return newest != null && newest.job().equals(job) ? newest.start() : null;
  }

  /**
   * Returns whether the learners of a job are allowed to begin from nothing although models are
   * published.
   */
  public boolean fresh(String job) {
    Submission newest = newest();
    return newest != null && newest.job().equals(job) && newest.fresh();
  }

  /**
   * Writes these submissions and a new one. If there are more than {@link #MOST}, the oldest are
   * left out.
   */
  public void add(ModelStore store, String application, Submission submission) throws IOException {
    List<Submission> all = new ArrayList<>(newestLast);
    all.add(submission);
    ObjectNode text = JSON.createObjectNode().put("format", FORMAT);
    ArrayNode list = text.putArray("submissions");
    for (Submission each : all.subList(Math.max(0, all.size() - MOST), all.size())) {
      ObjectNode entry =
          list.addObject()
              .put("job", each.job())
              .put("from", each.from())
              .put("fresh", each.fresh())
              .put("startOver", each.startOver())
              .put("newestVersion", each.newestVersion());
      FirstStart start = each.start();
      FirstStart.write(
          start == null ? Map.of() : Map.of(application, start), entry.putObject("start"));
    }
    store.writeNote(application, FILE, JSON.writeValueAsBytes(text));
  }
}
