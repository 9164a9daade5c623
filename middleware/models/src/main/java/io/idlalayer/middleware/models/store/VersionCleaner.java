package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage.Retired;
import io.idlalayer.middleware.models.storage.Place;
import io.idlalayer.middleware.models.store.ModelPublisher.CleanUp;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the old versions of an application partition for its publisher, by the rules of {@link
 * ModelPublisher#cleanUp}. One thread at a time.
 */
final class VersionCleaner {
  private static final Logger LOG = LoggerFactory.getLogger(VersionCleaner.class);
  private static final int MOST_TOLD = 1_000;

  /**
   * Largest number of manifests that one clean-up reads; each costs a request to an object store.
   */
  private static final int MOST_READ = 256;

  /** Largest number of versions that one clean-up deletes; each takes several requests. */
  private static final int MOST_REMOVED = 128;

  /** Number of versions that are hidden between two checks of which versions are needed. */
  private static final int GROUP = 16;

  private final ModelReader pins;
  private final ModelReader reader;
  private final ApplicationPartition of;
  private final PartitionStorage storage;
  private final HeldPlace place;
  private final NeededVersions needs;
  private final VerifiedRows rows;
  private final Set<String> told = new HashSet<>();

  /**
   * @param pins reads the pin
   * @param reader reads everything else, without a cache
   */
  VersionCleaner(
      ModelReader pins,
      ModelReader reader,
      ApplicationPartition of,
      PartitionStorage storage,
      HeldPlace place,
      NeededVersions needs,
      VerifiedRows rows) {
    this.pins = pins;
    this.reader = reader;
    this.of = of;
    this.storage = storage;
    this.place = place;
    this.needs = needs;
    this.rows = rows;
  }

  /** Deletes old versions once. */
  CleanUp run(int keep, Set<Long> wanted) throws IOException {
    Place mine = place.check();
    List<String> left = new ArrayList<>();
    Set<Retired> unneeded = new HashSet<>();
    List<Long> versions = storage.versions();
    Set<Long> roots = new HashSet<>(wanted);
    try {
      roots.addAll(pinnedVersion());
    } catch (CorruptModelException damaged) {
      left.add("every version stays, as one may be pinned: " + damaged.getMessage());
      roots.addAll(versions);
    }
    try {
      roots.addAll(aliasedVersions());
    } catch (CorruptModelException damaged) {
      left.add("every version stays, as one may have an alias: " + damaged.getMessage());
      roots.addAll(versions);
    }
    // Only this publisher moves the pointer, and it does nothing else now.
    OptionalLong pointed = pointedVersion(mine);
    pointed.ifPresent(roots::add);
    needs.keepOnly(versions);
    Set<Long> kept = versions.size() > keep ? kept(versions, keep, roots, left) : Set.of();
    // Newest first: at every moment, even after a crash, each version has the versions it needs.
    int next = versions.size() - keep - 1;
    while (next >= 0 && unneeded.size() < MOST_REMOVED) {
      List<Long> group = new ArrayList<>();
      int most = Math.min(GROUP, MOST_REMOVED - unneeded.size());
      while (next >= 0 && group.size() < most) {
        long version = versions.get(next);
        if (!kept.contains(version)) {
          if (!needs.known(version)) {
            // Once the version is hidden, nothing tells which older versions it needs.
            most = 1;
          }
          if (group.size() < most) {
            group.add(version);
          } else {
            break;
          }
        }
        next--;
      }
      if (!group.isEmpty()) {
        unneeded.addAll(retireUnneeded(group, kept, left));
      }
    }
    for (Retired each : newestFirst(storage.retired())) {
      if (each.version() > 0 && !unneeded.contains(each) && mayBeNeeded(needed(), each.version())) {
        restore(each, left);
      } else {
        storage.delete(each, left);
      }
    }
    storage.sweep(place.holder(), pointed, left);
    tell(left);
    return new CleanUp(unneeded.size(), List.copyOf(left));
  }

  /**
   * Returns the versions to keep: the given and the newest versions, and all versions whose
   * embedding rows they need. Returns all versions while their needs are not known.
   */
  private Set<Long> kept(List<Long> versions, int keep, Set<Long> wanted, List<String> left)
      throws IOException {
    Set<Long> roots = new HashSet<>(wanted);
    roots.addAll(versions.subList(versions.size() - keep, versions.size()));
    Optional<Set<Long>> kept = needs.with(roots, MOST_READ);
    if (kept.isEmpty()) {
      left.add(
          String.format(
              Locale.ROOT,
              "every version in %s stays for now, as it takes several clean-ups to read %d"
                  + " manifests",
              storage.address(),
              versions.size()));
    }
    return kept.orElseGet(() -> new HashSet<>(versions));
  }

  /** Returns the version that the pointer names; empty if the pointer is damaged. */
  private static OptionalLong pointedVersion(Place place) {
    try {
      return OptionalLong.of(place.decodedPointer().version());
    } catch (CorruptModelException | NoSuchFileException damaged) {
      LOG.debug("{} names no version that is to be kept: {}", place, damaged.toString());
      return OptionalLong.empty();
    }
  }

  private Set<Long> pinnedVersion() throws IOException {
    return pins.pin(of.application(), of.partition())
        .map(pin -> Set.of(pin.version()))
        .orElse(Set.of());
  }

  private Set<Long> aliasedVersions() throws IOException {
    return reader.aliases(of.application(), of.partition()).values().stream()
        .map(Alias::version)
        .collect(Collectors.toSet());
  }

  /**
   * Hides versions from readers before they are deleted. Reads the publisher's place and the
   * pointer once before, and once afterwards which versions are needed. A hidden version cannot get
   * a pin or an alias; but if a version, or another version that needs its rows, got one before it
   * was hidden, this method restores the version.
   *
   * @param group versions, newest first
   * @param kept versions that stay; versions that cannot be hidden are added, with the versions
   *     that they need
   * @return the versions to be deleted
   */
  private List<Retired> retireUnneeded(List<Long> group, Set<Long> kept, List<String> left)
      throws IOException {
    Place mine = place.check();
    OptionalLong pointed = OptionalLong.empty();
    String damage = null;
    try {
      pointed = OptionalLong.of(mine.decodedPointer().version());
    } catch (CorruptModelException | NoSuchFileException damaged) {
      damage = damaged.getMessage();
    }
    List<Retired> hidden = new ArrayList<>();
    for (long version : group) {
      if (kept.contains(version)) {
        continue;
      }
      Optional<Retired> retired = Optional.empty();
      if (damage != null) {
        left.add(
            String.format(
                Locale.ROOT,
                "version %d stays until the pointer is whole again: %s",
                version,
                damage));
      } else if (pointed.getAsLong() != version) {
        retired = retire(version, left);
      }
      if (retired.isPresent()) {
        hidden.add(retired.get());
      } else {
        kept.addAll(needs.with(Set.of(version)));
      }
    }
    return hidden.isEmpty() ? hidden : unneeded(hidden, kept, left);
  }

  private Optional<Retired> retire(long version, List<String> left) {
    try {
      return Optional.of(storage.retire(version));
    } catch (IOException failed) {
      left.add("cannot hide " + storage.address(version) + " before deleting it: " + failed);
      return Optional.empty();
    }
  }

  /** Restores the hidden versions that are needed, and returns the other hidden versions. */
  private List<Retired> unneeded(List<Retired> hidden, Set<Long> kept, List<String> left)
      throws IOException {
    Optional<Set<Long>> needed = needed();
    List<Retired> unneeded = new ArrayList<>();
    // Oldest first: newer versions need older versions.
    for (int i = hidden.size() - 1; i >= 0; i--) {
      Retired each = hidden.get(i);
      if (mayBeNeeded(needed, each.version())) {
        restore(each, left);
        kept.addAll(needs.with(Set.of(each.version())));
      } else {
        rows.forget(each.version());
        unneeded.add(each);
      }
    }
    if (needed.isEmpty()) {
      // Another publisher may have come.
      place.check();
    }
    return unneeded;
  }

  private void restore(Retired retired, List<String> left) {
    try {
      storage.restore(retired);
    } catch (IOException failed) {
      left.add("cannot restore " + storage.address(retired.version()) + ": " + failed);
    }
  }

  /**
   * Sorts retired versions, newest first. Newer versions need older versions, so the newer versions
   * are restored before the older ones are checked.
   */
  private static List<Retired> newestFirst(List<Retired> retired) {
    return retired.stream().sorted(Comparator.comparingLong(Retired::version).reversed()).toList();
  }

  /**
   * Returns the versions that the pointer, the pin or an alias names, and the versions whose
   * embedding rows they need; empty if these versions cannot be determined.
   */
  private Optional<Set<Long>> needed() {
    try {
      // Another publisher may need versions that this one does not.
      Place mine = place.check();
      Set<Long> roots = new HashSet<>(pinnedVersion());
      roots.addAll(aliasedVersions());
      pointedVersion(mine).ifPresent(roots::add);
      return Optional.of(needs.with(roots));
    } catch (IOException unknown) {
      LOG.debug(
          "no version is deleted, because it is not known which versions are needed: {}",
          unknown.toString());
      return Optional.empty();
    }
  }

  private static boolean mayBeNeeded(Optional<Set<Long>> needed, long version) {
    return needed.isEmpty() || needed.get().contains(version);
  }

  /** Logs each sentence that was not logged before. */
  private void tell(List<String> left) {
    for (String each : left) {
      if (told.size() < MOST_TOLD && told.add(each)) {
        LOG.warn("{}; the next clean-up tries again", each);
      }
    }
  }
}
