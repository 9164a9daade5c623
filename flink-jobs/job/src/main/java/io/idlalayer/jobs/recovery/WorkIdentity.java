package io.idlalayer.jobs.recovery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * The identity of a work directory, independent of its place: a random name in its file {@code
 * work.json}. Checkpoints name their files by the identity and not by the folder, so that a work
 * directory can be moved.
 *
 * @param id the random name: a letter and hexadecimal digits. It is also the authority in the
 *     addresses of the directory's files
 * @param directory absolute path of the directory at its present place
 */
public record WorkIdentity(String id, Path directory) {
  /** Name of the file that marks a folder as a work directory of the product. */
  public static final String MARKER = "work.json";

  private static final int FORMAT = 1;
  private static final Pattern ID = Pattern.compile("w[0-9a-f]{32}");
  private static final ObjectMapper JSON = new ObjectMapper();

  /**
   * Returns the identity of a work directory. Creates an identity if the directory has none.
   * Registers the directory's addresses with Flink in this process. The caller holds the lock of
   * the directory.
   *
   * @throws IOException if the file with the identity cannot be read or written, or is damaged
   */
  public static WorkIdentity open(Path workDirectory) throws IOException {
    Path directory = workDirectory.toAbsolutePath().normalize();
    Path file = directory.resolve(MARKER);
    if (!Files.exists(file)) {
      String id = "w" + UUID.randomUUID().toString().replace("-", "");
      byte[] text =
          JSON.writeValueAsBytes(JSON.createObjectNode().put("format", FORMAT).put("id", id));
      Durable.writeOnce(file, text);
    }
    return read(directory);
  }

  /**
   * Returns the identity of a work directory that has one.
   *
   * @throws IOException if the directory has no identity, or the file with the identity is damaged
   */
  public static WorkIdentity read(Path workDirectory) throws IOException {
    Path directory = workDirectory.toAbsolutePath().normalize();
    Path file = directory.resolve(MARKER);
    JsonNode text = Durable.json(file);
    String id = text.path("id").asText();
    if (text.path("format").asInt() != FORMAT || !ID.matcher(id).matches()) {
      throw new IOException(
          "%s is not the identity of a work directory: expected {\"format\":%d,\"id\":\"w...\"}, found %s"
              .formatted(file, FORMAT, text));
    }
    WorkIdentity identity = new WorkIdentity(id, directory);
    WorkFileSystem.register(identity);
    return identity;
  }

  /**
   * Returns the folder of RocksDB's working files, unless the application names a slow directory.
   */
  public Path state() {
    return directory.resolve("state");
  }

  /**
   * Returns the folder of tensors that are not in DRAM, unless the application names a slow
   * directory for them.
   */
  public Path tensors() {
    return directory.resolve("tensors");
  }

  /** Returns the folder of files that no later start needs. */
  public Path temporary() {
    return directory.resolve("tmp");
  }

  /** Returns the folder of models, unless the application names another place. */
  public Path models() {
    return directory.resolve("models");
  }

  /**
   * Returns the address of a file or folder in the work directory, in the form that checkpoints
   * contain.
   */
  public URI address(Path inside) {
    Path relative = directory.relativize(inside.toAbsolutePath().normalize());
    return URI.create(
        WorkFileSystem.SCHEME + "://" + id + "/" + relative.toString().replace('\\', '/'));
  }

  /** Returns the present path of the file with an address in this work directory. */
  public Path locate(URI address) {
    return directory.resolve(address.getPath().substring(1)).normalize();
  }
}
