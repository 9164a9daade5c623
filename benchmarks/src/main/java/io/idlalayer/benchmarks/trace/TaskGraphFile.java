package io.idlalayer.benchmarks.trace;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** A recorded step as JSON: {@code format}, {@code version} and {@code graph}. */
public final class TaskGraphFile {
  private static final String FORMAT = "idla-task-graph";
  private static final int VERSION = 3;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES);

  private TaskGraphFile() {}

  /** Fields of a file; others are passed over. */
  record Content(@Nullable String format, int version, @Nullable TaskGraph graph) {}

  /**
   * Reads a step.
   *
   * @throws IOException if the file does not hold a step that this program wrote
   */
  public static TaskGraph read(Path file) throws IOException {
    Content content = JSON.readValue(file.toFile(), Content.class);
    TaskGraph graph = content.graph();
    if (!FORMAT.equals(content.format()) || content.version() != VERSION || graph == null) {
      throw new IOException(
          "%s is not a recorded step of version %d; record it again".formatted(file, VERSION));
    }
    return graph;
  }

  /** Writes a step; a file of this name is replaced. */
  public static void write(Path file, TaskGraph graph) throws IOException {
    JSON.writeValue(file.toFile(), new Content(FORMAT, VERSION, graph));
  }
}
