package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A request to load a version, with everything that a loader may use. Valid until the loader
 * returns. For one thread.
 *
 * @param <M> the model as the serving process uses it
 */
public final class LoadRequest<M> {
  private final ModelReader models;
  private final ModelCheckpoint checkpoint;
  private final SortedMap<String, byte[]> files;
  private final @Nullable Loaded<M> before;

  /** A model that was loaded before this request; the loader does not change it. */
  public record Loaded<M>(ModelCheckpoint checkpoint, M model) {}

  private LoadRequest(
      ModelReader models,
      ModelCheckpoint checkpoint,
      SortedMap<String, byte[]> files,
      @Nullable Loaded<M> before) {
    this.models = models;
    this.checkpoint = checkpoint;
    this.files = files;
    this.before = before;
  }

  /**
   * Creates a request: reads and verifies the files of a version, except its embedding rows.
   *
   * @param before the model in service, which continues to serve during the load; null for none
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if a file differs from
   *     the manifest
   */
  public static <M> LoadRequest<M> of(
      ModelReader models, ModelCheckpoint checkpoint, @Nullable Loaded<M> before)
      throws IOException {
    return new LoadRequest<>(models, checkpoint, models.load(checkpoint), before);
  }

  /**
   * Returns a copy of the request for a loader of one kind of model. The copy has no model in
   * service if that model is of another kind.
   */
  public <N> LoadRequest<N> as(Class<N> kind) {
    Loaded<N> same =
        before != null && kind.isInstance(before.model())
            ? new Loaded<>(before.checkpoint(), kind.cast(before.model()))
            : null;
    return new LoadRequest<>(models, checkpoint, files, same);
  }

  public ModelCheckpoint checkpoint() {
    return checkpoint;
  }

  /**
   * Returns the verified contents of the version's files by file name, without the embedding rows.
   */
  public SortedMap<String, byte[]> files() {
    return files;
  }

  /**
   * Returns the model in service, from which the loader may start; empty if no version serves yet.
   */
  public Optional<Loaded<M>> before() {
    return Optional.ofNullable(before);
  }

  /**
   * Returns the versions whose embedding rows together make up the rows of this version, oldest
   * first: one version with all rows, then the versions with changes. Empty if the model has no
   * tables.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if one of them is
   *     missing, damaged or not the parent of the next version
   */
  public List<ModelCheckpoint> chain() throws IOException {
    return models.chain(checkpoint);
  }

  /**
   * Opens the file of embedding rows of a version of the chain. The read that reaches the end of
   * the file verifies length and SHA-256, so the rows must not be used before.
   */
  public InputStream rows(ModelCheckpoint version) throws IOException {
    return models.open(version);
  }
}
