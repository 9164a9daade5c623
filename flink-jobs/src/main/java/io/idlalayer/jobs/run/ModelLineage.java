package io.idlalayer.jobs.run;

import io.idlalayer.jobs.job.JobLocations;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What an application has published so far.
 *
 * @param directory root of its model store
 * @param exists whether anything was published, readable or not
 * @param newestVersion 0 if none can be read
 * @param inputOffsets how far the input was read for the newest versions, by "topic-partition"
 */
record ModelLineage(
    Path directory, boolean exists, long newestVersion, SortedMap<String, Long> inputOffsets) {

  static ModelLineage of(ApplicationSettings application, JobLocations locations)
      throws IOException {
    String named = application.publishing().directory();
    Path root = named == null ? locations.models() : Path.of(named);
    ModelStore store = new ModelStore(root, InstantSource.system());
    boolean exists = false;
    long newest = 0;
    SortedMap<String, Long> offsets = new TreeMap<>();
    for (int partition = 0; partition < application.partitions(); partition++) {
      exists |= holdsAnything(root.resolve(application.name()).resolve("" + partition));
      List<ModelCheckpoint> versions = store.list(application.name(), partition);
      if (!versions.isEmpty()) {
        var manifest = versions.get(versions.size() - 1).manifest();
        newest = Math.max(newest, manifest.version());
        manifest.inputOffsets().forEach((key, offset) -> offsets.merge(key, offset, Math::max));
      }
    }
    return new ModelLineage(root, exists, newest, offsets);
  }

  /** Whether there are versions: not what is staged, and not the place of a publisher. */
  private static boolean holdsAnything(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return false;
    }
    try (Stream<Path> entries = Files.list(folder)) {
      return entries
          .map(entry -> String.valueOf(entry.getFileName()))
          .anyMatch(name -> !name.startsWith(".") && !name.startsWith("publisher-"));
    }
  }

  String describe() {
    return newestVersion == 0
        ? "published models in %s, none of which can be read".formatted(directory)
        : "published models up to version %d in %s".formatted(newestVersion, directory);
  }
}
