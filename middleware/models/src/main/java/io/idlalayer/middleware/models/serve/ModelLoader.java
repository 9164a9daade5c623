package io.idlalayer.middleware.models.serve;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
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
   * @param files contents by name, verified
   */
  M load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) throws Exception;

  /** Frees a model that nobody uses or is given any more. Called once for each loaded model. */
  default void dispose(M model) {}
}
