package io.idlalayer.jobs.recovery;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.fs.Path;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.apache.flink.runtime.state.filesystem.AbstractFsCheckpointStorageAccess;

/**
 * A checkpoint or savepoint that Flink was given to start from, on any file system of Flink.
 *
 * @param address where it is, as Flink was given it
 * @param checkpointId counted through all jobs of a lineage; savepoints are in the same count
 * @param offsets next event to read, by "topic-partition"
 * @param topics topics that it has offsets of
 */
public record GivenPoint(
    String address, long checkpointId, SortedMap<String, Long> offsets, Set<String> topics) {
  /** Largest number of files that are looked for; of larger states, Flink finds what is missing. */
  private static final int MOST_FILES = 10_000;

  /**
   * Reads the metadata of a checkpoint or savepoint, and checks that the files that it names exist
   * with their lengths.
   *
   * @param learner stable id of the operator without which it is of another program
   * @return the checkpoint; empty if its file system is unknown in this process, so that only
   *     Flink's own processes can check it
   * @throws IOException with what is wrong with it
   */
  public static Optional<GivenPoint> read(String address, String learner) throws IOException {
    byte[] content;
    CheckpointMetadata metadata;
    try {
      var at = AbstractFsCheckpointStorageAccess.resolveCheckpointPointer(address);
      try (InputStream in = at.getMetadataHandle().openInputStream()) {
        content = in.readAllBytes();
      }
      metadata =
          Checkpoints.loadCheckpointMetadata(
              new DataInputStream(new ByteArrayInputStream(content)),
              GivenPoint.class.getClassLoader(),
              at.getExternalPointer());
    } catch (UnsupportedFileSystemSchemeException unknown) {
      return Optional.empty();
    } catch (IOException | RuntimeException damaged) {
      throw new IOException("it cannot be read: " + damaged.getMessage(), damaged);
    }
    Optional<String> foreign = foreign(metadata, learner);
    if (foreign.isPresent()) {
      throw new IOException(foreign.get());
    }
    Files files = new Files();
    CheckpointReader.Found found = CheckpointReader.of(metadata, content.length, files);
    String damage = found.damage();
    if (damage != null) {
      throw new IOException("it is damaged: " + damage);
    }
    Set<String> topics = new TreeSet<>();
    found.offsets().keySet().forEach(key -> topics.add(key.substring(0, key.lastIndexOf('-'))));
    return Optional.of(new GivenPoint(address, found.id(), found.offsets(), topics));
  }

  /** Returns that the state is of another program, if its operators are named and are not ours. */
  private static Optional<String> foreign(CheckpointMetadata metadata, String learner) {
    List<String> uids = new ArrayList<>();
    for (OperatorState operator : metadata.getOperatorStates()) {
      operator.getOperatorUid().ifPresent(uids::add);
    }
    return uids.isEmpty() || uids.contains(learner)
        ? Optional.empty()
        : Optional.of(
            "it is of another program: its operators are %s, and none is '%s'"
                .formatted(String.join(", ", uids), learner));
  }

  /** Looks for files on their file systems. */
  private static final class Files implements CheckpointReader.FileCheck {
    private final Set<Path> seen = new HashSet<>();

    @Override
    public void check(StreamStateHandle file, List<String> damages) {
      Path path = file.maybeGetPath().orElse(null);
      if (path == null || seen.size() >= MOST_FILES || !seen.add(path)) {
        return;
      }
      try {
        FileSystem system = path.getFileSystem();
        long bytes = system.getFileStatus(path).getLen();
        if (bytes < file.getStateSize()) {
          damages.add("%s has %d bytes instead of %d".formatted(path, bytes, file.getStateSize()));
        }
      } catch (UnsupportedFileSystemSchemeException unknown) {
        // Flink's own processes know it, or say that they do not.
      } catch (IOException missing) {
        damages.add("%s cannot be found: %s".formatted(path, missing.getMessage()));
      }
    }
  }
}
