package io.idlalayer.jobs.recovery;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitSerializer;
import org.apache.flink.core.fs.FSDataInputStream;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyedStateHandle;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.StreamStateHandle;
import org.jspecify.annotations.Nullable;

/**
 * Reads the metadata of a checkpoint or savepoint, and checks that all of its files exist with
 * their lengths. RocksDB checks the contents of the files, by its own checksums.
 */
final class CheckpointReader {
  static final String METADATA = "_metadata";

  /** Name under which Flink stores the splits of a source's readers. */
  private static final String SPLITS = "SourceReaderState";

  /** Checks a file that a checkpoint names, and adds a text about what is wrong with the file. */
  interface FileCheck {
    void check(StreamStateHandle file, List<String> damages);
  }

  private final WorkIdentity work;

  CheckpointReader(WorkIdentity work) {
    this.work = work;
  }

  /**
   * The contents of a checkpoint. If it cannot be used, the damage says why.
   *
   * @param id id of the checkpoint, -1 if its metadata cannot be read
   * @param bytes size of the checkpoint's files according to its metadata
   * @param offsets offset of the next event to read, by "topic-partition"; empty if the offsets
   *     cannot be read
   * @param damage what is wrong with the checkpoint; null if a job can be restored from it
   */
  record Found(long id, long bytes, SortedMap<String, Long> offsets, @Nullable String damage) {}

  /** Reads the checkpoint or savepoint in a folder with {@code _metadata}. */
  Found read(Path folder) {
    byte[] content;
    CheckpointMetadata metadata;
    try {
      content = Files.readAllBytes(folder.resolve(METADATA));
      metadata =
          Checkpoints.loadCheckpointMetadata(
              new DataInputStream(new ByteArrayInputStream(content)),
              CheckpointReader.class.getClassLoader(),
              work.address(folder).toString());
    } catch (IOException | RuntimeException damaged) {
      return new Found(
          -1, 0, new TreeMap<>(), "its _metadata cannot be read (%s)".formatted(damaged));
    }
    return of(metadata, content.length, this::check);
  }

  /**
   * Returns the contents of a checkpoint with this metadata. The file {@code _metadata} has the
   * given number of bytes.
   */
  static Found of(CheckpointMetadata metadata, long metadataBytes, FileCheck files) {
    List<String> damages = new ArrayList<>();
    SortedMap<String, Long> offsets = new TreeMap<>();
    long bytes = metadataBytes;
    for (OperatorState operator : metadata.getOperatorStates()) {
      for (OperatorSubtaskState subtask : operator.getStates()) {
        for (StreamStateHandle file : files(subtask).toList()) {
          // State that has no file is inside the metadata.
          bytes += file.maybeGetPath().isPresent() ? file.getStateSize() : 0;
          files.check(file, damages);
        }
        for (OperatorStateHandle state : subtask.getManagedOperatorState()) {
          try {
            readOffsets(state, offsets);
          } catch (IOException unreadable) {
            damages.add("its offsets cannot be read: " + unreadable.getMessage());
          }
        }
      }
    }
    return new Found(
        metadata.getCheckpointId(), bytes, offsets, damages.isEmpty() ? null : summary(damages));
  }

  private static String summary(List<String> damages) {
    return damages.size() == 1
        ? damages.get(0)
        : "%s and %d more".formatted(damages.get(0), damages.size() - 1);
  }

  private static Stream<StreamStateHandle> files(OperatorSubtaskState subtask) {
    Stream<StreamStateHandle> operators =
        Stream.concat(
                subtask.getManagedOperatorState().stream(), subtask.getRawOperatorState().stream())
            .map(OperatorStateHandle::getDelegateStateHandle);
    Stream<StreamStateHandle> keyed =
        Stream.concat(subtask.getManagedKeyedState().stream(), subtask.getRawKeyedState().stream())
            .flatMap(CheckpointReader::files);
    return Stream.concat(operators, keyed);
  }

  private static Stream<StreamStateHandle> files(KeyedStateHandle state) {
    if (state instanceof IncrementalRemoteKeyedStateHandle incremental) {
      // RocksDB's own metadata is among these files.
      return incremental.streamSubHandles();
    }
    return state instanceof StreamStateHandle stream ? Stream.of(stream) : Stream.empty();
  }

  private void check(StreamStateHandle handle, List<String> damages) {
    Optional<org.apache.flink.core.fs.Path> named = handle.maybeGetPath();
    if (named.isEmpty()) {
      return;
    }
    URI address = named.get().toUri();
    Path file;
    if (WorkFileSystem.SCHEME.equals(address.getScheme())
        && work.id().equals(address.getAuthority())) {
      file = work.locate(address);
    } else if ("file".equals(address.getScheme())) {
      file = Path.of(address.getPath());
    } else {
      damages.add("it names " + address + ", which is in another work directory");
      return;
    }
    try {
      long bytes = Files.size(file);
      if (bytes != handle.getStateSize()) {
        damages.add("%s has %d bytes instead of %d".formatted(file, bytes, handle.getStateSize()));
      }
    } catch (IOException missing) {
      damages.add(file + " is missing");
    }
  }

  private static void readOffsets(OperatorStateHandle state, SortedMap<String, Long> offsets)
      throws IOException {
    OperatorStateHandle.StateMetaInfo splits = state.getStateNameToPartitionOffsets().get(SPLITS);
    if (splits == null) {
      return;
    }
    KafkaPartitionSplitSerializer serializer = new KafkaPartitionSplitSerializer();
    try (FSDataInputStream in = state.openInputStream()) {
      for (long at : splits.getOffsets()) {
        in.seek(at);
        DataInputViewStreamWrapper view = new DataInputViewStreamWrapper(in);
        byte[] encoded = new byte[view.readInt()];
        view.readFully(encoded);
        KafkaPartitionSplit split =
            SimpleVersionedSerialization.readVersionAndDeSerialize(serializer, encoded);
        offsets.merge(
            split.getTopic() + "-" + split.getPartition(), split.getStartingOffset(), Math::max);
      }
    }
  }
}
