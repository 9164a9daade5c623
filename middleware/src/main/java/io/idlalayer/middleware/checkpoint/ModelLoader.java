package io.idlalayer.middleware.checkpoint;

import java.util.SortedMap;

/**
 * Makes a model that can serve of the verified files of a version. Called on the subscriber's
 * thread.
 *
 * @param <M> the model as the serving process uses it
 */
@FunctionalInterface
public interface ModelLoader<M> {
  /**
   * Loads a version. Whatever is thrown, the version is refused and the old one serves on.
   *
   * @param files contents by name, verified
   */
  M load(ModelCheckpoint checkpoint, SortedMap<String, byte[]> files) throws Exception;

  /** Frees a model that nobody is given any more. */
  default void dispose(M model) {}
}
