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
 * Finds the versions whose embedding rows other versions need. Reads each manifest once, since it
 * never changes and costs a request to an object store. One thread at a time.
 */
final class NeededVersions {
  private static final Logger LOG = LoggerFactory.getLogger(NeededVersions.class);

  private final Manifests manifests;

  /** For each version, the version whose embedding rows it changes, 0 for none. */
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
   * Returns the given versions and all whose embedding rows they need, if not too many manifests
   * must be read.
   *
   * @param mostRead manifests that may be read for it, above 0
   * @return empty if more would have to be read; those that were are known the next time
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
      // A version that cannot be served needs no other. It is read again, as it may be repaired.
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
