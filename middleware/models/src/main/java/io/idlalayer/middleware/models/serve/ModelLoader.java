package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.util.SortedMap;

/**
 * Makes a model that can serve of the verified files of a version. Models are loaded on the
 * subscriber's thread and disposed of on the thread that used them last.
 *
 * @param <M> the model as the serving process uses it
 */
@FunctionalInterface
public interface ModelLoader<M> {
  /**
   * Loads a version. Whatever is thrown, an {@link Error} too, the version is refused and the old
   * one serves on.
   *
   * @param files contents by name, verified; without {@link
   *     io.idlalayer.middleware.models.manifest.ModelManifest#ROWS_FILE}
   */
  M load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) throws Exception;

  /**
   * Loads a version that may have rows of tables, from the files of its chain or from the model
   * that was loaded before. A loader of models without tables has no need of it. Whatever is
   * thrown, likewise.
   */
  default M load(LoadRequest<M> request) throws Exception {
    return load(request.checkpoint(), request.files());
  }

  /** Frees a model that nobody uses or is given any more. Called once for each loaded model. */
  default void dispose(M model) {}
}
