package io.idlalayer.benchmarks.campaign.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.benchmarks.campaign.check.History.Manifest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Looks at a folder of published models as they come: copies every manifest before retention takes
 * it, and reads what the pointer names as a serving process would, bytes and digests. A thread of
 * its own.
 */
public final class ModelWatch implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long LOOK_MILLIS = 40;
  private static final int DEPTH = 6;

  private final Path root;
  private final Thread thread;
  private final SortedMap<String, Manifest> manifests = new TreeMap<>();
  private final List<String> torn = new ArrayList<>();
  private final Map<Path, String> pointers = new HashMap<>();
  private final Set<String> named = new HashSet<>();
  private final Set<Path> recoveryPoints = new HashSet<>();
  private final Set<Path> runs = new HashSet<>();
  private final ModelRecovery recovery = new ModelRecovery();
  private volatile boolean closed;

  /**
   * Starts to look.
   *
   * @param root folder of one application: partitions in it, versions in them
   */
  public ModelWatch(Path root) {
    this.root = root;
    thread = new Thread(this::run, "models");
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    while (!closed) {
      look();
      try {
        Thread.sleep(LOOK_MILLIS);
      } catch (InterruptedException stopped) {
        return;
      }
    }
  }

  private synchronized void look() {
    lookForRecoveryPoints();
    for (Path partition : children(root)) {
      String number = String.valueOf(partition.getFileName());
      if (!number.matches("\\d+")) {
        continue;
      }
      for (Path version : children(partition)) {
        if (String.valueOf(version.getFileName()).matches("v\\d+")) {
          copy(Integer.parseInt(number), version);
        }
      }
      readCurrent(partition);
    }
  }

  /** The job may have been started again by what was broken. */
  public synchronized void mayHaveRestarted() {
    recovery.started(manifests.size());
  }

  private void lookForRecoveryPoints() {
    Path work = root.resolve("../..").normalize();
    boolean newRun = false;
    for (String folder : List.of("checkpoints", "savepoints")) {
      Path points = work.resolve(folder);
      if (Files.isDirectory(points)) {
        try (Stream<Path> all = Files.walk(points, DEPTH)) {
          for (Path path : (Iterable<Path>) all::iterator) {
            if (path.endsWith("_metadata")) {
              recoveryPoints.add(path);
            } else if (String.valueOf(path.getFileName()).matches("run-\\d+")) {
              newRun |= runs.add(path);
            }
          }
        } catch (IOException | java.io.UncheckedIOException changing) {
          // Flink changes it just now; the next look sees what is left.
        }
      }
    }
    if (newRun) {
      recovery.started(manifests.size());
    }
    recovery.looked(recoveryPoints.size(), manifests.size(), System.nanoTime());
  }

  private static List<Path> children(Path folder) {
    try (Stream<Path> entries = Files.list(folder)) {
      return entries.sorted().toList();
    } catch (NoSuchFileException | NotDirectoryException none) {
      return List.of();
    } catch (IOException | java.io.UncheckedIOException refused) {
      // The disk is broken on purpose at times; the next look sees what this one did not.
      return List.of();
    }
  }

  private void copy(int partition, Path version) {
    String key = partition + "/" + version.getFileName();
    if (manifests.containsKey(key)) {
      return;
    }
    try {
      byte[] bytes = Files.readAllBytes(version.resolve("manifest.json"));
      manifests.put(key, manifest(partition, bytes, recovery.certain(System.nanoTime())));
    } catch (IOException goneOrBroken) {
      return;
    }
  }

  static Manifest manifest(int partition, byte[] bytes, boolean afterRecoveryPoint)
      throws IOException {
    JsonNode node = JSON.readTree(bytes);
    Map<Integer, Long> offsets = new HashMap<>();
    node.path("inputOffsets")
        .properties()
        .forEach(
            entry -> {
              String name = entry.getKey();
              offsets.put(
                  Integer.parseInt(name.substring(name.lastIndexOf('-') + 1)),
                  entry.getValue().asLong());
            });
    JsonNode counts = node.path("counts");
    return new Manifest(
        partition,
        node.path("version").asLong(),
        node.path("parentVersion").asLong(),
        sha256(bytes),
        node.path("parentDigest").asText(""),
        counts.path("trainedNewSamples").asLong(),
        counts.path("newSamples").asLong(),
        offsets,
        node.path("attributes").path("branch").asText(""),
        counts.path("updateNumber").asLong(-1),
        afterRecoveryPoint,
        false);
  }

  public static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  /**
   * The pointer of the newest publisher that has one. Early builds had one pointer for a partition.
   */
  private static Path pointer(Path partition) {
    List<Path> publishers =
        children(partition).stream()
            .filter(it -> String.valueOf(it.getFileName()).startsWith("publisher-"))
            .map(it -> it.resolve("current.json"))
            .filter(Files::exists)
            .toList();
    return publishers.isEmpty()
        ? partition.resolve("current.json")
        : publishers.get(publishers.size() - 1);
  }

  /** Reads the version the pointer names; if the pointer has moved meanwhile, it was no fault. */
  private void readCurrent(Path partition) {
    Path pointer = pointer(partition);
    try {
      String text = Files.readString(pointer);
      if (text.equals(pointers.get(pointer))) {
        return;
      }
      named.add(
          partition.getFileName()
              + "/v%010d".formatted(JSON.readTree(text).path("version").asLong()));
      String problem = problem(partition, text);
      if (problem.isEmpty()) {
        pointers.put(pointer, text);
      } else if (text.equals(Files.readString(pointer))) {
        pointers.put(pointer, text);
        torn.add(problem);
      }
    } catch (IOException brokenOnPurpose) {
      return;
    }
  }

  private static String problem(Path partition, String pointer) {
    try {
      JsonNode node = JSON.readTree(pointer);
      if (node.path("version").asLong() == 0) {
        // A publisher that has its place and has published nothing yet.
        return "";
      }
      Path version = partition.resolve("v%010d".formatted(node.path("version").asLong()));
      byte[] manifest = Files.readAllBytes(version.resolve("manifest.json"));
      if (!sha256(manifest).equals(node.path("digest").asText())) {
        return version + " has another digest than the pointer";
      }
      for (JsonNode file : JSON.readTree(manifest).path("files")) {
        byte[] content = Files.readAllBytes(version.resolve(file.path("name").asText()));
        if (!sha256(content).equals(file.path("sha256").asText())) {
          return version + "/" + file.path("name").asText() + " is not what its manifest says";
        }
      }
      return "";
    } catch (IOException unreadable) {
      return partition + ": " + unreadable;
    }
  }

  /** Manifests by partition and version, ascending. */
  public synchronized List<Manifest> manifests() {
    look();
    return manifests.entrySet().stream()
        .map(each -> named.contains(each.getKey()) ? each.getValue().seenNamed() : each.getValue())
        .sorted(
            java.util.Comparator.comparingInt(Manifest::partition)
                .thenComparingLong(Manifest::version))
        .toList();
  }

  public synchronized List<String> torn() {
    return List.copyOf(torn);
  }

  @Override
  public void close() throws InterruptedException {
    closed = true;
    thread.interrupt();
    thread.join();
  }
}
