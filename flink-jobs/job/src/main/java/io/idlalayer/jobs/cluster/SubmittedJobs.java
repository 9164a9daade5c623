package io.idlalayer.jobs.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.recovery.Durable;
import io.idlalayer.jobs.recovery.RunFolder;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;

/**
 * The jobs that a local cluster should run, with one file for each job in {@code cluster/jobs}.
 * When a JobManager is killed, it forgets its jobs, but the files stay.
 */
final class SubmittedJobs {
  private static final int FORMAT = 1;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Path folder;

  SubmittedJobs(Path work) {
    folder = work.resolve("cluster").resolve("jobs");
  }

  /**
   * A submitted job. It is submitted again if the JobManager loses it.
   *
   * @param id Flink's id of the job
   * @param files absolute paths of the application files
   * @param digest digest of the files' content when the job was submitted, see {@link #digest}
   */
  record Submitted(String id, Set<String> applications, List<Path> files, String digest) {
    Submitted {
      applications = Set.copyOf(applications);
      files = List.copyOf(files);
    }
  }

  /** Returns the SHA-256 of the content of application files, in any order. */
  static String digest(List<Path> files) throws IOException {
    try {
      List<String> each = new ArrayList<>();
      for (Path file : files) {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
        each.add(HexFormat.of().formatHex(digest));
      }
      Collections.sort(each);
      byte[] all = String.join("\n", each).getBytes(StandardCharsets.US_ASCII);
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(all));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java has SHA-256", impossible);
    }
  }

  void add(Submitted job) throws IOException {
    Files.createDirectories(folder);
    ObjectNode text = JSON.createObjectNode();
    text.put("format", FORMAT).put("id", job.id());
    job.applications().stream().sorted().forEach(text.putArray("applications")::add);
    job.files().forEach(file -> text.withArray("files").add(file.toString()));
    text.put("digest", job.digest());
    Durable.write(file(job.applications()), JSON.writeValueAsBytes(text));
  }

  void remove(Set<String> applications) throws IOException {
    Files.deleteIfExists(file(applications));
  }

  void clear() throws IOException {
    for (Path file : Durable.children(folder)) {
      Files.delete(file);
    }
  }

  /** Returns all jobs that the cluster should run. */
  List<Submitted> list() throws IOException {
    List<Submitted> jobs = new ArrayList<>();
    for (Path file : Durable.children(folder)) {
      if (file.toString().endsWith(".json")) {
        jobs.add(read(file));
      }
    }
    return jobs;
  }

  private static Submitted read(Path file) throws IOException {
    JsonNode text = Durable.json(file);
    List<String> applications = new ArrayList<>();
    text.path("applications").forEach(name -> applications.add(name.asText()));
    List<Path> files = new ArrayList<>();
    text.path("files").forEach(name -> files.add(Path.of(name.asText())));
    if (text.path("format").asInt() != FORMAT || applications.isEmpty() || files.isEmpty()) {
      throw new IOException("%s describes no job: %s".formatted(file, text));
    }
    return new Submitted(
        text.path("id").asText(), Set.copyOf(applications), files, text.path("digest").asText());
  }

  private Path file(Set<String> applications) {
    return folder.resolve(RunFolder.jobName(applications) + ".json");
  }
}
