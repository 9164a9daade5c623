package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.util.SortedMap;

/**
 * Makes a model that can serve predictions from the verified files of a version. The subscriber's
 * thread loads models; the thread that uses a model last disposes of it.
 *
 * @param <M> the model as the serving process uses it
 */
@FunctionalInterface
public interface ModelLoader<M> {
  /**
   * Loads the model of a version without embedding tables from its files. If this throws anything,
   * also an {@link Error}, the version is refused and the old one serves on.
   *
   * @param files contents by name, verified; without {@link
   *     io.idlalayer.middleware.models.manifest.ModelManifest#ROWS_FILE}
   */
  M load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) throws Exception;

  /**
   * Loads the model of a version that may have embedding tables, from the files of its chain or
   * from the model that was loaded before. A loader of models without tables need not override it.
   * If this throws anything, also an {@link Error}, the version is refused and the old one serves
   * on.
   */
  default M load(LoadRequest<M> request) throws Exception {
    return load(request.checkpoint(), request.files());
  }

  /** Frees a model after its last use. Called once for each loaded model. */
  default void dispose(M model) {}
}
