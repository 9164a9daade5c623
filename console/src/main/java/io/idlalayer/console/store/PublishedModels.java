package io.idlalayer.console.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.middleware.models.store.Alias;
import io.idlalayer.middleware.models.store.CorruptModelException;
import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.ModelReader;
import io.idlalayer.middleware.models.store.Pin;
import java.io.IOException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The versions of one application partition, newest first.
 *
 * @param problem what beside versions is damaged or cannot be read, in sentences; "" if nothing is
 * @param current version that the pointer names, 0 for none
 * @param serving version that subscribers use; another one than {@code current} while a pin holds
 * @param pin that holds, null for none
 * @param aliases names of versions; none if their file is damaged, which is a problem then
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record PublishedModels(
    String problem,
    long current,
    long serving,
    @Nullable Pin pin,
    SortedMap<String, Alias> aliases,
    List<Version> versions) {
  /** Most versions that are shown. */
  static final int MOST = 500;

  /**
   * One version. Of a damaged manifest nothing but the number is known.
   *
   * @param parent version that it continues, 0 for none
   * @param digest SHA-256 of the manifest
   * @param bytes of all files
   * @param abandoned whether the current version does not descend from it
   * @param damaged what is wrong with its manifest, or with names and lengths of its files, a
   *     sentence; "" if nothing is. Contents are not read.
   */
  public record Version(
      long version,
      long parent,
      long createdAtMillis,
      String digest,
      long bytes,
      List<ModelManifest.ModelFile> files,
      SortedMap<String, String> attributes,
      SortedMap<String, Long> counts,
      SortedMap<String, Double> metrics,
      boolean abandoned,
      String damaged) {
    private static Version unreadable(long version, String damaged) {
      return new Version(
          version,
          0,
          0,
          "",
          0,
          List.of(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          false,
          damaged);
    }
  }

  /** Nothing can be read. */
  public static PublishedModels none(String problem) {
    return new PublishedModels(problem, 0, 0, null, new TreeMap<>(), List.of());
  }

  /**
   * Reads the manifests; files are compared by their lengths only.
   *
   * @throws IOException if the store cannot be read
   */
  public static PublishedModels read(ModelReader store, String application, int partition)
      throws IOException {
    ModelReader.Damage damage = store.damage(application, partition, ModelReader.Scrutiny.LENGTHS);
    List<ModelCheckpoint> all = store.list(application, partition);
    long current = current(store, application, partition);
    Optional<ModelReader.Serving> serving = serving(store, application, partition);
    return new PublishedModels(
        String.join("; ", damage.others()),
        current,
        version(serving.map(ModelReader.Serving::checkpoint)),
        serving.map(ModelReader.Serving::pin).orElse(null),
        aliases(store, application, partition),
        versions(all, current, damage.versions()));
  }

  /** None if their file is damaged, which is among the problems then. */
  private static SortedMap<String, Alias> aliases(
      ModelReader store, String application, int partition) throws IOException {
    try {
      return store.aliases(application, partition);
    } catch (CorruptModelException damaged) {
      return new TreeMap<>();
    }
  }

  /** 0 for none, or for a damaged one, which is among the problems then. */
  private static long current(ModelReader store, String application, int partition)
      throws IOException {
    try {
      return version(store.current(application, partition));
    } catch (CorruptModelException damaged) {
      return 0;
    }
  }

  /** Empty for none, or if what is to serve is damaged, which is among the problems then. */
  private static Optional<ModelReader.Serving> serving(
      ModelReader store, String application, int partition) throws IOException {
    try {
      return store.serving(application, partition);
    } catch (CorruptModelException damaged) {
      return Optional.empty();
    }
  }

  private static long version(Optional<ModelCheckpoint> checkpoint) {
    return checkpoint.map(it -> it.manifest().version()).orElse(0L);
  }

  private static List<Version> versions(
      List<ModelCheckpoint> readable, long current, SortedMap<Long, String> damaged) {
    Map<Long, Long> parents = new HashMap<>();
    readable.forEach(it -> parents.put(it.manifest().version(), it.manifest().parentVersion()));
    Set<Long> lineage = new HashSet<>();
    Long at = current;
    while (at != null && at > 0 && lineage.add(at)) {
      at = parents.get(at);
    }
    TreeMap<Long, Version> newestFirst = new TreeMap<>(Comparator.reverseOrder());
    damaged.forEach((version, why) -> newestFirst.put(version, Version.unreadable(version, why)));
    for (ModelCheckpoint each : readable) {
      long version = each.manifest().version();
      newestFirst.put(version, version(each, lineage, damaged.getOrDefault(version, "")));
    }
    return newestFirst.values().stream().limit(MOST).toList();
  }

  private static Version version(ModelCheckpoint checkpoint, Set<Long> lineage, String damaged) {
    ModelManifest manifest = checkpoint.manifest();
    return new Version(
        manifest.version(),
        manifest.parentVersion(),
        manifest.createdAtMillis(),
        checkpoint.digest(),
        manifest.files().stream().mapToLong(ModelManifest.ModelFile::bytes).sum(),
        manifest.files(),
        manifest.attributes(),
        manifest.counts(),
        manifest.metrics(),
        !lineage.contains(manifest.version()),
        damaged);
  }
}
