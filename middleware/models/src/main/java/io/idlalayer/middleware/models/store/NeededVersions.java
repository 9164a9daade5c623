package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds the versions whose embedding rows other versions need. Reads each manifest once, because a
 * manifest never changes and reading it costs a request to an object store. For one thread at a
 * time.
 */
final class NeededVersions {
  private static final Logger LOG = LoggerFactory.getLogger(NeededVersions.class);

  private final Manifests manifests;

  /** For each version, the version whose embedding rows it changes; 0 for none. */
  private final Map<Long, Long> changed = new HashMap<>();

  /** Reads the manifest of a version. */
  @FunctionalInterface
  interface Manifests {
    ModelManifest read(long version) throws IOException;
  }

  NeededVersions(Manifests manifests) {
    this.manifests = manifests;
  }

  /** Returns the given versions and all whose embedding rows they need. */
  Set<Long> with(Set<Long> roots) throws IOException {
    return with(roots, Integer.MAX_VALUE).orElseThrow();
  }

  /**
   * Returns the given versions and all versions whose embedding rows they need, unless too many
   * manifests would have to be read.
   *
   * @param mostRead most manifests that this call may read, above 0
   * @return empty if more would have to be read; the next call knows the manifests that were read
   */
  Optional<Set<Long>> with(Set<Long> roots, int mostRead) throws IOException {
    int left = mostRead;
    Set<Long> needed = new HashSet<>();
    for (long root : roots) {
      long version = root;
      while (version > 0 && needed.add(version)) {
        Long known = changed.get(version);
        if (known == null && left-- == 0) {
          return Optional.empty();
        }
        version = known == null ? read(version) : known;
      }
    }
    return Optional.of(needed);
  }

  private long read(long version) throws IOException {
    try {
      return learn(manifests.read(version));
    } catch (CorruptModelException damaged) {
      // A version that cannot be served needs no other. It is read again later, as a repair might
      // change this.
      LOG.debug("version {} cannot be read: {}", version, damaged.toString());
      return 0;
    }
  }

  /**
   * Remembers the contents of a manifest; returns the version whose embedding rows it changes, 0
   * for none.
   */
  long learn(ModelManifest manifest) {
    boolean changes =
        ModelManifest.ROW_CHANGES.equals(manifest.attributes().get(ModelManifest.ROWS));
    long before =
        changes && manifest.parentVersion() < manifest.version() ? manifest.parentVersion() : 0;
    changed.put(manifest.version(), before);
    return before;
  }

  /** Returns whether it is known, without reading, which version a version needs. */
  boolean known(long version) {
    return changed.containsKey(version);
  }

  /** Forgets all versions except the given ones. */
  void keepOnly(Collection<Long> versions) {
    changed.keySet().retainAll(versions instanceof Set ? versions : new HashSet<>(versions));
  }

  /** Forgets all versions: another publisher may have used their numbers. */
  void clear() {
    changed.clear();
  }
}
