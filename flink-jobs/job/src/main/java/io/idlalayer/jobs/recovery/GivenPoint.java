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
 * A checkpoint or savepoint from which Flink was told to start, on any file system of Flink.
 *
 * @param address address of the checkpoint, as it was given to Flink
 * @param checkpointId number of the checkpoint or savepoint; one count goes through all jobs of a
 *     lineage
 * @param offsets offset of the next event to read, by "topic-partition"
 * @param topics topics for which the checkpoint has offsets
 */
public record GivenPoint(
    String address, long checkpointId, SortedMap<String, Long> offsets, Set<String> topics) {
  /**
   * Largest number of files that are checked. If a state has more files, Flink finds out which of
   * the other files are missing.
   */
  private static final int MOST_FILES = 10_000;

  /**
   * Reads the metadata of a checkpoint or savepoint, and checks that the files that it names exist
   * with their lengths.
   *
   * @param learner stable id of the learners' operator; a checkpoint without it is from another
   *     program
   * @return the checkpoint; empty if this process does not know the file system of the address, so
   *     that only Flink's own processes can check the checkpoint
   * @throws IOException with the reason why a job cannot start from the checkpoint
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

  /**
   * Returns a text if the state is from another program, because it names its operators but not the
   * learners' operator; otherwise empty.
   */
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

  /** Checks files on their file systems. */
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
        // Flink's own processes know this file system, or report that they do not.
      } catch (IOException missing) {
        damages.add("%s cannot be found: %s".formatted(path, missing.getMessage()));
      }
    }
  }
}
