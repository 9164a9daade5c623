package io.idlalayer.jobs.recovery;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplit;
import org.apache.flink.connector.kafka.source.split.KafkaPartitionSplitSerializer;
import org.apache.flink.core.fs.FileSystem.WriteMode;
import org.apache.flink.core.io.SimpleVersionedSerialization;
import org.apache.flink.runtime.checkpoint.Checkpoints;
import org.apache.flink.runtime.checkpoint.OperatorState;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.checkpoint.metadata.CheckpointMetadata;
import org.apache.flink.runtime.jobgraph.OperatorID;
import org.apache.flink.runtime.state.IncrementalKeyedStateHandle.HandleAndLocalPath;
import org.apache.flink.runtime.state.IncrementalRemoteKeyedStateHandle;
import org.apache.flink.runtime.state.KeyGroupRange;
import org.apache.flink.runtime.state.OperatorStateHandle;
import org.apache.flink.runtime.state.OperatorStreamStateHandle;
import org.apache.flink.runtime.state.filesystem.FileStateHandle;
import org.apache.flink.runtime.state.memory.ByteStreamStateHandle;
import org.apache.kafka.common.TopicPartition;

/** Metadata and files of a checkpoint as the engine writes them, without an engine. */
public final class FakeCheckpoint {
  private FakeCheckpoint() {}

  /**
   * Writes a checkpoint with a shared file and the offset of one partition.
   *
   * @param run folder of the run
   * @return the folder of the checkpoint
   */
  public static Path write(WorkIdentity work, Path run, long id, long offset) throws IOException {
    Path job = run.resolve("0123456789abcdef0123456789abcdef");
    Path shared = job.resolve("shared").resolve("sst-" + id);
    FileStateHandle file = write(work, shared, "sorted");
    FileStateHandle meta = write(work, job.resolve("chk-" + id).resolve("meta"), "m");
    IncrementalRemoteKeyedStateHandle keyed =
        new IncrementalRemoteKeyedStateHandle(
            UUID.randomUUID(),
            KeyGroupRange.of(0, 127),
            id,
            List.of(HandleAndLocalPath.of(file, "1.sst")),
            List.of(),
            meta);
    OperatorSubtaskState subtask =
        OperatorSubtaskState.builder()
            .setManagedKeyedState(keyed)
            .setManagedOperatorState(splits(offset))
            .build();
    OperatorState operator = new OperatorState("learn", "learn", new OperatorID(1, 2), 1, 128);
    operator.putState(0, subtask);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    Checkpoints.storeCheckpointMetadata(
        new CheckpointMetadata(id, List.of(operator), List.of()), new DataOutputStream(bytes));
    Files.write(job.resolve("chk-" + id).resolve("_metadata"), bytes.toByteArray());
    return job.resolve("chk-" + id);
  }

  /** Through the file system of work directories, as Flink does it. */
  private static FileStateHandle write(WorkIdentity work, Path file, String text)
      throws IOException {
    var address = new org.apache.flink.core.fs.Path(work.address(file));
    try (var out = address.getFileSystem().create(address, WriteMode.OVERWRITE)) {
      out.write(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
    return new FileStateHandle(address, text.length());
  }

  private static OperatorStateHandle splits(long offset) throws IOException {
    byte[] split =
        SimpleVersionedSerialization.writeVersionAndSerialize(
            new KafkaPartitionSplitSerializer(),
            new KafkaPartitionSplit(new TopicPartition("events", 0), offset));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    DataOutputStream out = new DataOutputStream(bytes);
    out.writeInt(split.length);
    out.write(split);
    return new OperatorStreamStateHandle(
        Map.of(
            "SourceReaderState",
            new OperatorStateHandle.StateMetaInfo(
                new long[] {0}, OperatorStateHandle.Mode.SPLIT_DISTRIBUTE)),
        new ByteStreamStateHandle("splits", bytes.toByteArray()));
  }
}
