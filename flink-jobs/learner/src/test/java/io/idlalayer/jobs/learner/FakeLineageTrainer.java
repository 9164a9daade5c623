package io.idlalayer.jobs.learner;

import io.idlalayer.middleware.sample.Contribution;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.training.Trainer;
import io.idlalayer.modelcontroller.training.TrainingFailedException;
import io.idlalayer.modelcontroller.training.TrainingRequest;
import io.idlalayer.modelcontroller.training.TrainingResult;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.nio.ByteBuffer;
import java.nio.LongBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.LongStream;

/**
 * A trainer whose model is the list of the samples it was trained on as new, so that a model's
 * whole lineage can be read from its bytes.
 */
public final class FakeLineageTrainer implements Trainer {
  public static final String FILE = "lineage";

  private final Predicate<TrainingRequest> diverges;

  private final TrainingFailedException.Kind kind;

  /**
   * @param kind how a training ends that {@code diverges} chooses
   */
  FakeLineageTrainer(Predicate<TrainingRequest> diverges, TrainingFailedException.Kind kind) {
    this.diverges = diverges;
    this.kind = kind;
  }

  @Override
  public TrainingResult train(TrainingRequest request) throws TrainingFailedException {
    if (diverges.test(request)) {
      throw new TrainingFailedException(kind, "the loss became NaN", null);
    }
    List<Long> lineage = new ArrayList<>();
    if (request.base() != null) {
      lineage.addAll(read(request.base()));
    }
    List<Contribution> contributions = new ArrayList<>();
    for (TrainingRow row : request.batch().rows()) {
      if (row.fresh()) {
        lineage.add(row.sampleId());
      }
      contributions.add(new Contribution(row.sampleId(), 1f, 1f / (1 + row.sampleId() % 7)));
    }
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put(FILE, file(lineage));
    return new TrainingResult(new ModelArtifact(files), contributions, 0.01, 1, 1, 0.5, null);
  }

  /** Ids of the samples a model was trained on as new, in order. */
  static List<Long> read(ModelArtifact artifact) {
    return read(artifact.files().get(FILE));
  }

  /** Returns the ids in a file. */
  static List<Long> read(byte[] file) {
    LongBuffer ids = ByteBuffer.wrap(file).asLongBuffer();
    return LongStream.range(0, ids.remaining()).mapToObj(i -> ids.get((int) i)).toList();
  }

  /** The file of a model that was trained on these samples. */
  public static byte[] file(List<Long> lineage) {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES * lineage.size());
    lineage.forEach(bytes::putLong);
    return bytes.array();
  }

  @Override
  public void close() {}
}
