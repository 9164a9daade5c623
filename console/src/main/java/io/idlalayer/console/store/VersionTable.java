package io.idlalayer.console.store;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelReader;
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
 * @param problem sentences about damage outside of the versions; "" if there is none
 * @param current version that the pointer names; 0 if there is none
 * @param serving version that subscribers use; it differs from {@code current} while a pin is in
 *     effect
 * @param pin the pin that is in effect; null if there is none
 * @param aliases names of versions; empty if their file is damaged, in which case {@code problem}
 *     describes the damage
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record VersionTable(
    String problem,
    long current,
    long serving,
    @Nullable Pin pin,
    SortedMap<String, Alias> aliases,
    List<Version> versions) {
  /** Largest number of versions that are shown. */
  static final int MOST = 500;

  /** The relation of a version to the current one. */
  public enum Descent {
    /** The version is the current version, or the current version descends from it. */
    CURRENT,
    /** The current version does not descend from this version. */
    ABANDONED,
    /**
     * It is unknown whether the current version descends from this version, because a version
     * between the two is not stored any more or cannot be read.
     */
    UNKNOWN
  }

  /**
   * A version. If its manifest cannot be read, only its number is known.
   *
   * @param parent the version from which it continues, 0 if there is none; null if unknown
   * @param createdAtMillis creation time, epoch milliseconds; null if unknown
   * @param digest SHA-256 of the manifest, null if unknown
   * @param bytes size of all files, null if unknown
   * @param damaged a sentence about damage of the manifest, or of names and lengths of the files;
   *     "" if there is no damage. The contents of files are not checked.
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Version(
      long version,
      @Nullable Long parent,
      @Nullable Long createdAtMillis,
      @Nullable String digest,
      @Nullable Long bytes,
      List<ModelManifest.ModelFile> files,
      SortedMap<String, String> attributes,
      SortedMap<String, Long> counts,
      SortedMap<String, Double> metrics,
      Descent descent,
      String damaged) {
    private static Version unreadable(long version, Descent descent, String damaged) {
      return new Version(
          version,
          null,
          null,
          null,
          null,
          List.of(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          descent,
          damaged);
    }
  }

  /** Returns a table without versions, for a store that cannot be read. */
  public static VersionTable none(String problem) {
    return new VersionTable(problem, 0, 0, null, new TreeMap<>(), List.of());
  }

  /**
   * Reads the manifests of an application partition's versions; of their other files, only the
   * lengths are compared.
   *
   * @throws IOException if the store cannot be read
   */
  public static VersionTable read(ModelReader store, String application, int partition)
      throws IOException {
    ModelReader.Damage damage = store.damage(application, partition, ModelReader.Scrutiny.LENGTHS);
    List<ModelCheckpoint> all = store.list(application, partition);
    long current = current(store, application, partition);
    Optional<ModelReader.Serving> serving = serving(store, application, partition);
    return new VersionTable(
        String.join("; ", damage.others()),
        current,
        version(serving.map(ModelReader.Serving::checkpoint)),
        serving.map(ModelReader.Serving::pin).orElse(null),
        aliases(store, application, partition),
        versions(all, current, damage.versions()));
  }

  /**
   * Returns the aliases. If their file is damaged, returns none and adds the damage to the
   * problems.
   */
  private static SortedMap<String, Alias> aliases(
      ModelReader store, String application, int partition) throws IOException {
    try {
      return store.aliases(application, partition);
    } catch (CorruptModelException damaged) {
      return new TreeMap<>();
    }
  }

  /**
   * Returns the number of the current version; 0 if there is none, or if the pointer file is
   * damaged; damage is added to the problems.
   */
  private static long current(ModelReader store, String application, int partition)
      throws IOException {
    try {
      return version(store.current(application, partition));
    } catch (CorruptModelException damaged) {
      return 0;
    }
  }

  /**
   * Returns the serving version; empty if there is none, or if it is damaged; damage is added to
   * the problems.
   */
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
    Lineage lineage = Lineage.of(current, parents);
    TreeMap<Long, Version> newestFirst = new TreeMap<>(Comparator.reverseOrder());
    damaged.forEach(
        (version, why) ->
            newestFirst.put(version, Version.unreadable(version, lineage.descent(version), why)));
    for (ModelCheckpoint each : readable) {
      long version = each.manifest().version();
      newestFirst.put(
          version, version(each, lineage.descent(version), damaged.getOrDefault(version, "")));
    }
    return newestFirst.values().stream().limit(MOST).toList();
  }

  /**
   * The known ancestors of the current version.
   *
   * @param known the current version and its known ancestors
   * @param below versions with lower numbers than this can be ancestors too
   */
  private record Lineage(Set<Long> known, long below) {
    /**
     * Finds the known ancestors of the current version by following the parents of versions.
     *
     * @param current the current version; 0 if unknown
     * @param parents parents of the readable versions
     */
    static Lineage of(long current, Map<Long, Long> parents) {
      if (current == 0) {
        return new Lineage(Set.of(), Long.MAX_VALUE);
      }
      Set<Long> known = new HashSet<>();
      long at = current;
      while (at > 0 && known.add(at)) {
        Long parent = parents.get(at);
        if (parent == null) {
          return new Lineage(known, at);
        }
        at = parent;
      }
      return new Lineage(known, 0);
    }

    Descent descent(long version) {
      if (known.contains(version)) {
        return Descent.CURRENT;
      }
      return version < below ? Descent.UNKNOWN : Descent.ABANDONED;
    }
  }

  private static Version version(ModelCheckpoint checkpoint, Descent descent, String damaged) {
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
        descent,
        damaged);
  }
}
