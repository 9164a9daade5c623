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
 * A version that is to be loaded, with everything that a loader may use for it. Valid while it is
 * loaded; one thread.
 *
 * @param <M> the model as the serving process uses it
 */
public final class LoadRequest<M> {
  private final ModelReader models;
  private final ModelCheckpoint checkpoint;
  private final SortedMap<String, byte[]> files;
  private final @Nullable Loaded<M> before;

  /** A model that was loaded before, and stays as it is. */
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
   * Of a version, whatever was loaded before; its files are verified, but for the rows.
   *
   * @param before the model in service, which is used by others meanwhile; null for none
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if a file is not what its
   *     manifest says
   */
  public static <M> LoadRequest<M> of(
      ModelReader models, ModelCheckpoint checkpoint, @Nullable Loaded<M> before)
      throws IOException {
    return new LoadRequest<>(models, checkpoint, models.load(checkpoint), before);
  }

  /** The same for a loader of one kind of model; one of another kind in service is as none. */
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

  /** Contents by name, verified; without the rows. */
  public SortedMap<String, byte[]> files() {
    return files;
  }

  /** The model in service, empty before the first. */
  public Optional<Loaded<M>> before() {
    return Optional.ofNullable(before);
  }

  /**
   * The versions whose rows together are those of this version, oldest first: one with all rows,
   * then those with changes. Empty if the model has no tables.
   *
   * @throws io.idlalayer.middleware.models.manifest.CorruptModelException if one is missing,
   *     damaged or not the one that the next was made from
   */
  public List<ModelCheckpoint> chain() throws IOException {
    return models.chain(checkpoint);
  }

  /**
   * Opens the rows of a version of the chain; length and SHA-256 are verified when the end is read,
   * so nothing of them may be used before.
   */
  public InputStream rows(ModelCheckpoint version) throws IOException {
    return models.open(version);
  }
}
