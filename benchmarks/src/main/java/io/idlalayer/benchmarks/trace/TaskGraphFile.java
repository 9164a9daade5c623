package io.idlalayer.benchmarks.trace;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/**
 * A recorded step as JSON: {@code format}, {@code version}, {@code key} and {@code graph}. Unknown
 * fields of a later writer of the same version are passed over.
 *
 * @param key what the step depends on
 */
public record TaskGraphFile(String format, int version, ProfileKey key, TaskGraph graph) {
  /** Field {@code format} of the files. */
  public static final String FORMAT = "idla-task-graph";

  /** Version that this program writes. */
  public static final int VERSION = 2;

  /** A version whose kernels have no divisions. */
  private static final int WITHOUT_DIVISION = 1;

  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_NULL_FOR_PRIMITIVES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  /** A file of the version that this program writes. */
  public TaskGraphFile(ProfileKey key, TaskGraph graph) {
    this(FORMAT, VERSION, key, graph);
  }

  /** The bytes of a file. */
  public byte[] encode() {
    try {
      return JSON.writeValueAsBytes(this);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /**
   * Reads the bytes of a file.
   *
   * @param where for messages
   * @throws CorruptProfileException if it is no recorded step
   * @throws UnknownProfileVersionException if it is one of another version
   */
  public static TaskGraphFile decode(byte[] content, Object where) throws IOException {
    JsonNode tree = tree(content, where);
    if (!FORMAT.equals(tree.path("format").asText())) {
      throw new CorruptProfileException(
          "%s is no recorded step: its field \"format\" is not \"%s\"".formatted(where, FORMAT));
    }
    int version = tree.path("version").asInt(-1);
    if (version != VERSION && version != WITHOUT_DIVISION) {
      throw new UnknownProfileVersionException(where, version, VERSION);
    }
    try {
      TaskGraphFile file = JSON.treeToValue(tree, TaskGraphFile.class);
      if (file.key() == null || file.graph() == null) {
        throw new CorruptProfileException(where + " has no key or no graph");
      }
      return file;
    } catch (JsonProcessingException broken) {
      throw new CorruptProfileException(
          "%s is no recorded step: %s".formatted(where, broken.getOriginalMessage()));
    }
  }

  private static JsonNode tree(byte[] content, Object where) throws IOException {
    JsonNode tree;
    try {
      tree = JSON.readTree(content);
    } catch (JsonProcessingException broken) {
      throw new CorruptProfileException(
          "%s is no JSON: %s".formatted(where, broken.getOriginalMessage()));
    }
    if (tree == null || !tree.isObject()) {
      throw new CorruptProfileException(where + " holds no JSON object");
    }
    return tree;
  }

  /** Reads a file; see {@link #decode}. */
  public static TaskGraphFile read(Path file) throws IOException {
    return decode(Files.readAllBytes(file), file);
  }

  /** Writes a file whole or not at all; a file of this name is replaced. */
  public void write(Path file) throws IOException {
    @Nullable Path parent = file.toAbsolutePath().getParent();
    Path directory = parent == null ? file.toAbsolutePath() : parent;
    Path part = Files.createTempFile(directory, "." + file.getFileName(), ".part");
    try {
      Files.write(part, encode());
      try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(part);
    }
  }
}
