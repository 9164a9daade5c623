package io.idlalayer.jobs.recovery;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.start.FirstStart;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * The checkpoints and savepoints of one submission of a job, in {@code
 * checkpoints/<job>/run-000007/}, with its descriptor {@code run.json}.
 *
 * @param folder absolute path of the folder
 * @param number number of the run, at least 1. It grows with every submission in the work
 *     directory. A later run continues from an earlier run, so the number orders recovery points
 * @param applications names of the applications of the job
 * @param continuesFrom recovery point from which the run started: a path relative to the work
 *     directory, or the address that was given to Flink; null if the run started without state
 * @param startOver word with which the lineage was started over, or null
 * @param starts where applications without state began to read, by the names of the applications.
 *     An application that reads its topics from the beginning has no entry
 */
public record RunFolder(
    Path folder,
    long number,
    Set<String> applications,
    @Nullable String continuesFrom,
    @Nullable String startOver,
    SortedMap<String, FirstStart> starts) {
  static final String DESCRIPTOR = "run.json";
  private static final int FORMAT = 1;
  private static final int LONGEST_NAME = 80;
  private static final int NEW_NAMES = 3;
  private static final Pattern NAME = Pattern.compile("run-(\\d{6,18})");
  private static final ObjectMapper JSON = new ObjectMapper();

  public RunFolder {
    applications = Set.copyOf(applications);
    starts = Collections.unmodifiableSortedMap(new TreeMap<>(starts));
  }

  /** Returns whether the run started without state. */
  public boolean fromNothing() {
    return continuesFrom == null;
  }

  /** Returns the folder for the savepoints of the run. */
  public Path savepoints() {
    return folder.resolve("savepoints");
  }

  /**
   * Returns the name of the folder with a job's runs: the names of the job's applications,
   * shortened if they are too long.
   */
  public static String jobName(Set<String> applications) {
    String joined = String.join("+", new TreeSet<>(applications));
    if (joined.length() <= LONGEST_NAME) {
      return joined;
    }
    CRC32 sum = new CRC32();
    sum.update(joined.getBytes(StandardCharsets.UTF_8));
    return "%s-%08x".formatted(joined.substring(0, LONGEST_NAME), sum.getValue());
  }

  /** Creates the folder of a new run and its descriptor. Both survive a power failure. */
  RunFolder create() throws IOException {
    Files.createDirectories(folder);
    writeDescriptor();
    // The folders of the run, of its job, and "checkpoints" itself might all be new.
    Path up = folder.getParent();
    for (int i = 0; i < NEW_NAMES && up != null; i++) {
      Durable.syncFolder(up);
      up = up.getParent();
    }
    return this;
  }

  /**
   * Writes the descriptor again if it was removed while the job runs.
   *
   * @return whether the descriptor was gone
   */
  public boolean renew() throws IOException {
    if (Files.exists(folder.resolve(DESCRIPTOR))) {
      return false;
    }
    create();
    return true;
  }

  private void writeDescriptor() throws IOException {
    ObjectNode text = JSON.createObjectNode();
    text.put("format", FORMAT).put("number", number);
    new TreeSet<>(applications).forEach(text.putArray("applications")::add);
    text.put("continuesFrom", continuesFrom).put("startOver", startOver);
    FirstStart.write(starts, text.putObject("starts"));
    Durable.write(folder.resolve(DESCRIPTOR), JSON.writeValueAsBytes(text));
  }

  /** Returns whether a folder has the name of a run. Only such folders are ever read or deleted. */
  static boolean isRun(Path folder) {
    return NAME.matcher(String.valueOf(folder.getFileName())).matches();
  }

  /**
   * Reads the descriptor of the run in a folder.
   *
   * @throws IOException if the descriptor is missing or damaged
   */
  static RunFolder read(Path folder) throws IOException {
    Path file = folder.resolve(DESCRIPTOR);
    JsonNode text = Durable.json(file);
    List<String> names = new ArrayList<>();
    text.path("applications").forEach(name -> names.add(name.asText()));
    long number = text.path("number").asLong();
    if (text.path("format").asInt() != FORMAT || names.isEmpty() || number < 1) {
      throw new IOException(
          "%s is not a descriptor of a run of format %d: %s".formatted(file, FORMAT, text));
    }
    SortedMap<String, FirstStart> starts;
    try {
      starts = FirstStart.read(text.path("starts"));
    } catch (IllegalArgumentException damaged) {
      throw new IOException("%s is damaged: %s".formatted(file, damaged.getMessage()), damaged);
    }
    return new RunFolder(
        folder,
        number,
        Set.copyOf(names),
        text.path("continuesFrom").textValue(),
        text.path("startOver").textValue(),
        starts);
  }
}
