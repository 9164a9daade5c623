package io.idlalayer.jobs.run;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The models that an application has published so far.
 *
 * @param directory root of the application's model store, a folder or an address
 * @param exists whether models were published, even if none can be read
 * @param newestVersion newest readable version; 0 if none can be read
 * @param inputOffsets offsets of the first events that the newest versions have not learned, by
 *     "topic-partition"
 */
public record ModelLineage(
    String directory, boolean exists, long newestVersion, SortedMap<String, Long> inputOffsets) {

  /**
   * Returns the models that an application has published so far.
   *
   * @param defaultModels model store of applications that name none; null if all name one
   */
  public static ModelLineage of(ApplicationSettings application, @Nullable Path defaultModels)
      throws IOException {
    String root = PublishedIdentity.root(application, defaultModels);
    boolean exists = false;
    long newest = 0;
    SortedMap<String, Long> offsets = new TreeMap<>();
    try (ModelStore store = PublishedIdentity.open(root)) {
      for (int partition = 0; partition < application.partitions(); partition++) {
        exists |= store.holdsModels(application.name(), partition);
        List<ModelCheckpoint> versions = store.list(application.name(), partition);
        if (!versions.isEmpty()) {
          var manifest = versions.get(versions.size() - 1).manifest();
          newest = Math.max(newest, manifest.version());
          manifest.inputOffsets().forEach((key, offset) -> offsets.merge(key, offset, Math::max));
        }
      }
    }
    return new ModelLineage(root, exists, newest, offsets);
  }

  /** Returns a description of the published models, as part of a sentence. */
  public String describe() {
    return newestVersion == 0
        ? "published models in %s, none of which can be read".formatted(directory)
        : "published models up to version %d in %s".formatted(newestVersion, directory);
  }
}
