package io.idlalayer.modelloader.serve;

import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.store.HeapShare;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.input.ChainedRows;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads published models for a {@link io.idlalayer.middleware.models.serve.ModelSubscriber}: models
 * of every kind if Deeplearning4j is on the class path, else the models that plain Java supports.
 * The published files are sufficient: serving needs no application file. No content of a file is
 * used before it is checked. Rows of tables that have not changed are taken over from the model in
 * service.
 */
public final class Dl4jModelLoader implements ModelLoader<Dl4jModel> {
  private final long largestBytes;
  private final @Nullable RowsFolder folder;

  /**
   * Creates a loader for models of up to an eighth of the heap, so that no version can use up the
   * memory that the version in service needs.
   */
  public Dl4jModelLoader() {
    this(HeapShare.ofThisProcess().networkBytes());
  }

  /**
   * @param largestBytes most bytes that a model's files may have together, and most that may be
   *     packed in its network's file; above 0, larger than 2 GiB means 2 GiB
   */
  public Dl4jModelLoader(long largestBytes) {
    this(largestBytes, null);
  }

  private Dl4jModelLoader(long largestBytes, @Nullable RowsFolder folder) {
    if (largestBytes < 1) {
      throw new IllegalArgumentException("largestBytes must be above 0, not " + largestBytes);
    }
    this.largestBytes = largestBytes;
    this.folder = folder;
  }

  /**
   * Returns a loader that keeps the rows of tables in mapped files of a folder instead of the heap,
   * for tables that are larger than the heap.
   */
  public Dl4jModelLoader mappingRowsIn(RowsFolder folder) {
    return new Dl4jModelLoader(largestBytes, folder);
  }

  /**
   * Loads a model without tables.
   *
   * @throws MalformedModelException also if the model has tables: tables need a {@link LoadRequest}
   */
  @Override
  public Dl4jModel load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
      throws MalformedModelException {
    ModelArtifact artifact = new ModelArtifact(files);
    Dl4jModel model = Dl4jModel.load(artifact, largestBytes);
    if (model.tables()) {
      model.close();
      throw new MalformedModelException(
          "the model has tables, whose rows are not in its other files");
    }
    return model;
  }

  @Override
  public Dl4jModel load(LoadRequest<Dl4jModel> request) throws IOException {
    ModelArtifact artifact = new ModelArtifact(request.files());
    ModelSpec spec = ModelSpecJson.decode(artifact.file(ModelArtifact.SPEC_FILE));
    if (spec.embeddings().tables().isEmpty()) {
      return Dl4jModel.load(artifact, largestBytes);
    }
    ServedRows rows = ChainedRows.read(request, EmbeddingPlans.of(spec), Dl4jModel::rows, folder);
    boolean done = false;
    try {
      Dl4jModel model = Dl4jModel.load(artifact, largestBytes, rows);
      done = true;
      return model;
    } finally {
      if (!done) {
        rows.close();
      }
    }
  }

  /**
   * Loads a version without a model in service before it.
   *
   * @throws IOException if the version, or a version whose rows it needs, is missing or damaged
   */
  public Dl4jModel load(ModelReader models, ModelCheckpoint checkpoint) throws IOException {
    return load(LoadRequest.of(models, checkpoint, null));
  }

  @Override
  public void dispose(Dl4jModel model) {
    model.close();
  }
}
