package io.idlalayer.modelruntime.serve;

import io.idlalayer.middleware.embedding.serve.RowsFolder;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.serve.LoadRequest;
import io.idlalayer.middleware.models.serve.ModelLoader;
import io.idlalayer.middleware.models.store.HeapShare;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import io.idlalayer.modelruntime.input.ChainedRows;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * Loads published models for a {@link io.idlalayer.middleware.models.serve.ModelSubscriber}, to
 * predict in plain Java. No content of a file is used before it is checked. A network with an
 * unsupported part is refused with an {@link UnsupportedModelException} that names the part. Rows
 * of tables that have not changed are taken over from the model in service.
 */
public final class PlainModelLoader implements ModelLoader<PlainModel> {
  private final long largestBytes;
  private final @Nullable RowsFolder folder;

  /**
   * Creates a loader for models of up to an eighth of the heap, so that no version can use up the
   * memory that the version in service needs.
   */
  public PlainModelLoader() {
    this(HeapShare.ofThisProcess().networkBytes());
  }

  /**
   * @param largestBytes most bytes that a model's files may have together, and most that may be
   *     packed in its network's file; above 0, larger than 2 GiB means 2 GiB
   */
  public PlainModelLoader(long largestBytes) {
    this(largestBytes, null);
  }

  private PlainModelLoader(long largestBytes, @Nullable RowsFolder folder) {
    if (largestBytes < 1) {
      throw new IllegalArgumentException("largestBytes must be above 0, not " + largestBytes);
    }
    this.largestBytes = largestBytes;
    this.folder = folder;
  }

  /**
   * Returns a loader that keeps the rows of tables in mapped files of a folder instead of the heap,
   * for tables that are larger than the heap. The user must {@linkplain #dispose dispose} of each
   * model that such a loader has loaded; a subscriber does so.
   */
  public PlainModelLoader mappingRowsIn(RowsFolder folder) {
    return new PlainModelLoader(largestBytes, folder);
  }

  /**
   * Loads a model without tables.
   *
   * @throws MalformedModelException also if the model has tables: tables need a {@link LoadRequest}
   */
  @Override
  public PlainModel load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files)
      throws IOException {
    return load(new ModelArtifact(files));
  }

  /** Loads a model from files that are not published. */
  public PlainModel load(ModelArtifact artifact)
      throws MalformedModelException, UnsupportedModelException {
    PlainModel model = PlainModel.load(artifact, largestBytes);
    if (!model.spec().embeddings().tables().isEmpty()) {
      throw new MalformedModelException(
          "the model has tables, whose rows are not in its other files");
    }
    return model;
  }

  @Override
  public PlainModel load(LoadRequest<PlainModel> request) throws IOException {
    ModelArtifact artifact = new ModelArtifact(request.files());
    ModelSpec spec = ModelSpecJson.decode(artifact.file(ModelArtifact.SPEC_FILE));
    if (spec.embeddings().tables().isEmpty()) {
      return load(artifact);
    }
    // Rows may be many GiB: they are read when it is known that the network can use them.
    PlainModel model = PlainModel.load(artifact, largestBytes);
    return model.with(ChainedRows.read(request, EmbeddingPlans.of(spec), PlainModel::rows, folder));
  }

  /**
   * Loads a version without a model in service before it.
   *
   * @throws IOException if the version, or one whose rows it needs, is missing or damaged
   */
  public PlainModel load(ModelReader models, ModelCheckpoint checkpoint) throws IOException {
    return load(LoadRequest.of(models, checkpoint, null));
  }

  /**
   * Closes the mapped file of the model's rows, if there is one. The model then predicts no more.
   */
  @Override
  public void dispose(PlainModel model) {
    model.close();
  }
}
