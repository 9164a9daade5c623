package io.idlalayer.jobs.capacityplan;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import io.idlalayer.middleware.sample.text.JsonReason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;

/**
 * The last plan of an application, in its work directory: {@code capacity/APPLICATION.json}. A
 * reader sees either the old plan or the complete new plan. Writing does not lock the work
 * directory, so a plan can be made while a job uses this directory.
 */
public final class CapacityPlanFile {
  /** Name of the folder in a work directory. */
  public static final String FOLDER = "capacity";

  /** Largest number of bytes of a file that is read. A plan has a few thousand bytes. */
  private static final int MOST_BYTES = 1 << 20;

  private static final ObjectMapper JSON =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private final Path folder;
  private final Path file;

  /**
   * @param workDirectory work directory of a run; need not exist
   * @param application name of an application
   */
  public CapacityPlanFile(Path workDirectory, String application) {
    folder = workDirectory.toAbsolutePath().normalize().resolve(FOLDER);
    file = folder.resolve(application + ".json");
  }

  /** Returns the work directory of an application whose user names no work directory. */
  public static Path defaultWorkDirectory(String application) {
    return Path.of("idla-work", application);
  }

  /** Returns the path of the file. */
  public Path path() {
    return file;
  }

  /** Returns the text of a plan in its file. */
  public static String text(CapacityPlan plan) {
    try {
      return JSON.writeValueAsString(plan);
    } catch (JacksonException impossible) {
      throw new IllegalStateException("a plan has only texts and numbers", impossible);
    }
  }

  /**
   * Writes a plan, which replaces an older plan. Creates missing folders with access for their
   * owner only.
   *
   * @throws IOException if the plan cannot be written
   */
  public void write(CapacityPlan plan) throws IOException {
    createPrivate();
    Path staged = Files.createTempFile(folder, "." + file.getFileName(), ".tmp");
    try {
      Files.writeString(staged, text(plan) + "\n");
      Files.move(staged, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(staged);
    }
  }

  /** Only the owner has access to a work directory. */
  private void createPrivate() throws IOException {
    if (Files.isDirectory(folder)) {
      return;
    }
    Path there = folder;
    while (!Files.exists(there) && there.getParent() != null) {
      there = there.getParent();
    }
    FileAttribute<?>[] attributes =
        Files.getFileStore(there).supportsFileAttributeView("posix")
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"))
            }
            : new FileAttribute<?>[0];
    Files.createDirectories(folder, attributes);
  }

  /**
   * Reads the plan.
   *
   * @return the plan; empty if there is none
   * @throws IOException if the plan cannot be read, is damaged or has another format; the message
   *     says what is wrong
   */
  public Optional<CapacityPlan> read() throws IOException {
    byte[] bytes;
    try (InputStream in = Files.newInputStream(file)) {
      bytes = in.readNBytes(MOST_BYTES + 1);
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
    if (bytes.length > MOST_BYTES) {
      throw new IOException("%s has more than %d bytes".formatted(file.getFileName(), MOST_BYTES));
    }
    try {
      JsonNode tree = JSON.readTree(bytes);
      if (!tree.path("format").asText().equals(CapacityPlan.FORMAT)
          || tree.path("version").asInt() != CapacityPlan.VERSION) {
        throw new IOException(
            "%s is no plan of format %s, version %d"
                .formatted(file.getFileName(), CapacityPlan.FORMAT, CapacityPlan.VERSION));
      }
      return Optional.of(JSON.treeToValue(tree, CapacityPlan.class));
    } catch (JacksonException damaged) {
      throw new IOException(
          "%s is damaged: %s".formatted(file.getFileName(), JsonReason.of(damaged)), damaged);
    }
  }
}
