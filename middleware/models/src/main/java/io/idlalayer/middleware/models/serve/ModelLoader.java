package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.util.SortedMap;

/**
 * Creates, from the verified files of a version, a model that can serve predictions. The
 * subscriber's thread loads models; the thread that uses a model last disposes of it.
 *
 * @param <M> the model as the serving process uses it
 */
@FunctionalInterface
public interface ModelLoader<M> {
  /**
   * Loads the model of a version without embedding tables from its files. If this method throws
   * anything, also an {@link Error}, the subscriber refuses the version, and the old version
   * continues to serve.
   *
   * @param files verified contents by name; without {@link
   *     io.idlalayer.middleware.models.manifest.ModelManifest#ROWS_FILE}
   */
  M load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) throws Exception;

  /**
   * Loads the model of a version, with or without embedding tables, from the files of its chain or
   * from the model that was loaded before. A loader of models without tables need not override this
   * method. If it throws anything, also an {@link Error}, the subscriber refuses the version, and
   * the old version continues to serve.
   */
  default M load(LoadRequest<M> request) throws Exception {
    return load(request.checkpoint(), request.files());
  }

  /** Frees a model after its last use. Called once for each loaded model. */
  default void dispose(M model) {}
}
