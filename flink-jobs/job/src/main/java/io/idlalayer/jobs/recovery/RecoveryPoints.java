package io.idlalayer.jobs.recovery;

import io.idlalayer.jobs.start.FirstStart;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The runs of a work directory and their recovery points, from which jobs can start. The newest
 * point is the point with the highest checkpoint id in the newest run. The times of files do not
 * matter. The caller holds the lock of the work directory.
 */
public final class RecoveryPoints {
  /** Number of recovery points that are kept. */
  public static final int RETAINED = 3;

  private static final Pattern CHECKPOINT = Pattern.compile("chk-(\\d{1,18})");
  private static final String SAVEPOINT = "savepoint-";
  private static final int DEPTH = 3;
  private static final CheckpointReader.Found UNFINISHED =
      new CheckpointReader.Found(
          -1, 0, new TreeMap<>(), "it has no _metadata, so it was never completed or is damaged");

  private final WorkIdentity work;
  private final Path root;
  private final CheckpointReader reader;

  public RecoveryPoints(WorkIdentity work) {
    this.work = work;
    root = work.directory().resolve("checkpoints");
    reader = new CheckpointReader(work);
  }

  /**
   * The result of a search for the state from which a job can start.
   *
   * @param point the newest whole recovery point of the job's lineage, or null
   * @param passedOver newer runs and points that cannot be used, each with the reason, newest first
   * @param damaged whether a run or point that was passed over was usable once. A single checkpoint
   *     that was unfinished when the process was killed was never usable, and nothing is lost with
   *     it
   * @param newest offsets that the points that were passed over had reached
   * @param unused the newest run, if it began from nothing and never completed a recovery point;
   *     otherwise null. A new run that begins at the same positions loses nothing
   * @param mixed a run that these applications cannot continue alone, because it also has other
   *     applications; null if there is none
   * @param startOver the word with which the lineage of the newest run was started over, or null
   */
  public record Search(
      @Nullable RecoveryPoint point,
      List<String> passedOver,
      boolean damaged,
      Map<String, Long> newest,
      @Nullable RunFolder unused,
      @Nullable RunFolder mixed,
      @Nullable String startOver) {}

  /** Searches for the newest state of a job with these applications. */
  public Search search(Set<String> applications) throws IOException {
    List<String> passedOver = new ArrayList<>();
    Map<String, Long> newest = new TreeMap<>();
    List<RunFolder> runs = runs(passedOver::add);
    boolean damaged = !passedOver.isEmpty();
    RunFolder latest = null;
    for (RunFolder run : runs) {
      if (Collections.disjoint(run.applications(), applications)) {
        continue;
      }
      if (!applications.containsAll(run.applications())) {
        return new Search(null, passedOver, damaged, newest, null, run, word(latest));
      }
      latest = latest == null ? run : latest;
      List<Candidate> candidates = candidates(run);
      for (Candidate candidate : candidates) {
        if (candidate.damage() == null) {
          return new Search(
              candidate.point(), passedOver, damaged, newest, null, null, word(latest));
        }
        candidate.point().offsets().forEach((key, offset) -> newest.merge(key, offset, Math::max));
        damaged |= candidate.complete() || !passedOver.isEmpty();
        passedOver.add(relative(candidate.point().folder()) + ": " + candidate.damage());
      }
      if (run.fromNothing()) {
        boolean unused = run.equals(latest) && candidates.stream().allMatch(Candidate::neverUsed);
        return new Search(
            null, passedOver, damaged, newest, unused ? run : null, null, word(latest));
      }
    }
    return new Search(null, passedOver, damaged, newest, null, null, word(latest));
  }

  /**
   * Returns the word with which a lineage was started over. Every run repeats the word, so that the
   * first run of the lineage can be deleted.
   */
  private static @Nullable String word(@Nullable RunFolder latest) {
    return latest == null ? null : latest.startOver();
  }

  /**
   * Returns what is damaged in the newest complete recovery point of a run; empty if nothing is
   * damaged, or if there is no such point. The run is allowed to write its next point at the same
   * time.
   */
  public Optional<String> damage(RunFolder run) throws IOException {
    for (Candidate candidate : candidates(run)) {
      Path folder = candidate.point().folder();
      if (!candidate.complete()) {
        continue;
      }
      // Flink might have deleted the point while its files were checked.
      boolean there = Files.exists(folder.resolve(CheckpointReader.METADATA));
      return there && candidate.damage() != null
          ? Optional.of(relative(folder) + ": " + candidate.damage())
          : Optional.empty();
    }
    return Optional.empty();
  }

  /** Returns the newest run of a job with exactly these applications. */
  public Optional<RunFolder> newestRun(Set<String> applications) throws IOException {
    return runs(damaged -> {}).stream()
        .filter(run -> run.applications().equals(applications))
        .findFirst();
  }

  /** Returns whether any run in the work directory has this application. */
  public boolean knows(String application) throws IOException {
    return runs(damaged -> {}).stream().anyMatch(run -> run.applications().contains(application));
  }

  /**
   * Creates the folder of a job's next run.
   *
   * @param from recovery point with which the run begins; null for none
   * @param startOver the word with which the lineage of the run was started over, or null
   * @param starts where applications without state begin to read, by their names
   */
  public RunFolder create(
      Set<String> applications,
      @Nullable RecoveryPoint from,
      @Nullable String startOver,
      SortedMap<String, FirstStart> starts)
      throws IOException {
    return begin(applications, startOver, from == null ? null : relative(from.folder()), starts);
  }

  /**
   * Creates the folder of a job's next run, which starts from a checkpoint or savepoint that was
   * given to Flink.
   *
   * @param address address of the checkpoint or savepoint, on any file system of Flink
   * @param startOver the word with which its lineage was started over, or null
   */
  public RunFolder createFrom(String address, Set<String> applications, @Nullable String startOver)
      throws IOException {
    return begin(applications, startOver, address, new TreeMap<>());
  }

  private RunFolder begin(
      Set<String> applications,
      @Nullable String startOver,
      @Nullable String continuesFrom,
      SortedMap<String, FirstStart> starts)
      throws IOException {
    long number = 1;
    for (Path folder : runFolders()) {
      String name = String.valueOf(folder.getFileName());
      number = Math.max(number, Long.parseLong(name.substring("run-".length())) + 1);
    }
    Path folder =
        root.resolve(RunFolder.jobName(applications))
            .resolve(String.format(Locale.ROOT, "run-%06d", number));
    return new RunFolder(folder, number, applications, continuesFrom, startOver, starts).create();
  }

  /**
   * Deletes the runs of a job that are no longer needed: runs that are older than the {@link
   * #RETAINED} newest whole recovery points, and runs without a complete point. The newest run
   * always stays. Runs of other jobs and folders without a descriptor are not touched.
   */
  public void sweep(Set<String> applications) throws IOException {
    int whole = 0;
    boolean newestRun = true;
    for (RunFolder run : runs(damaged -> {})) {
      if (!applications.containsAll(run.applications())) {
        continue;
      }
      List<Candidate> candidates = candidates(run);
      boolean empty = candidates.stream().noneMatch(Candidate::complete);
      if (!newestRun && (whole >= RETAINED || empty)) {
        Durable.delete(run.folder());
      }
      whole += (int) candidates.stream().filter(candidate -> candidate.damage() == null).count();
      newestRun = false;
    }
  }

  private List<Path> runFolders() throws IOException {
    List<Path> found = new ArrayList<>();
    for (Path job : Durable.children(root)) {
      Durable.children(job).stream().filter(RunFolder::isRun).forEach(found::add);
    }
    return found;
  }

  /** Returns the runs of all jobs, newest first. */
  private List<RunFolder> runs(Consumer<String> damaged) throws IOException {
    List<RunFolder> runs = new ArrayList<>();
    for (Path folder : runFolders()) {
      try {
        runs.add(RunFolder.read(folder));
      } catch (IOException unreadable) {
        damaged.accept(relative(folder) + ": " + unreadable.getMessage());
      }
    }
    runs.sort(Comparator.comparingLong(RunFolder::number).reversed());
    return runs;
  }

  /**
   * A folder that might be a recovery point. If it is not whole, the damage says why.
   *
   * @param complete whether the folder has a file with metadata, even if this file cannot be read
   */
  private record Candidate(RecoveryPoint point, boolean complete, @Nullable String damage) {
    /**
     * Returns whether this is certainly the first checkpoint of its run, and the run ended before
     * the checkpoint was complete.
     */
    boolean neverUsed() {
      return !complete && point.checkpointId() <= 1;
    }
  }

  /**
   * Returns all recovery points of a run, and all points that were unfinished when the run ended,
   * newest first.
   */
  private List<Candidate> candidates(RunFolder run) throws IOException {
    List<Candidate> candidates = new ArrayList<>();
    for (Path folder : pointFolders(run)) {
      Matcher name = CHECKPOINT.matcher(String.valueOf(folder.getFileName()));
      // The name of a savepoint does not contain its number. A run takes its savepoint at the end.
      long named = name.matches() ? Long.parseLong(name.group(1)) : Long.MAX_VALUE;
      boolean complete = Files.exists(folder.resolve(CheckpointReader.METADATA));
      CheckpointReader.Found found = complete ? reader.read(folder) : UNFINISHED;
      long id = found.id() < 0 ? named : found.id();
      RecoveryPoint point = new RecoveryPoint(run, folder, id, found.bytes(), found.offsets());
      candidates.add(new Candidate(point, complete, found.damage()));
    }
    candidates.sort(Comparator.comparing(Candidate::point, RecoveryPoint.ORDER).reversed());
    return candidates;
  }

  /**
   * Returns the folders that are named like checkpoints or savepoints, at any place inside a run's
   * folder.
   */
  private static Set<Path> pointFolders(RunFolder run) throws IOException {
    Set<Path> folders = new HashSet<>();
    Files.walkFileTree(
        run.folder(),
        EnumSet.noneOf(FileVisitOption.class),
        DEPTH,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return visitFile(folder, attributes);
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (isPoint(file)) {
              boolean metadata = file.endsWith(CheckpointReader.METADATA);
              folders.add(metadata ? Objects.requireNonNull(file.getParent()) : file);
            }
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException failed) throws IOException {
            // Flink might delete old checkpoints in the meantime.
            if (failed instanceof NoSuchFileException) {
              return FileVisitResult.CONTINUE;
            }
            throw failed;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException failed)
              throws IOException {
            return failed == null ? FileVisitResult.CONTINUE : visitFileFailed(folder, failed);
          }
        });
    return folders;
  }

  private static boolean isPoint(Path file) {
    return file.endsWith(CheckpointReader.METADATA)
        || CHECKPOINT.matcher(String.valueOf(file.getFileName())).matches()
        || String.valueOf(file.getFileName()).startsWith(SAVEPOINT);
  }

  /** Returns a path relative to the work directory, for messages and descriptors. */
  public String relative(Path inside) {
    return work.directory().relativize(inside).toString();
  }
}
