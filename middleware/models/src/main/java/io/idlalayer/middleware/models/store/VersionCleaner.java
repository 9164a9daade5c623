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
   * @param reader reads everything else, and nothing from a cache
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
    // Newest first: at every moment, also of a crash, each version still has those that it needs.
    for (int i = versions.size() - keep - 1; i >= 0 && unneeded.size() < MOST_REMOVED; i--) {
      long version = versions.get(i);
      if (kept.contains(version)) {
        continue;
      }
      Optional<Retired> hidden =
          unpointed(version, left) ? retireUnneeded(version, left) : Optional.empty();
      if (hidden.isPresent()) {
        rows.forget(version);
        unneeded.add(hidden.get());
      } else {
        kept.addAll(needs.with(Set.of(version)));
      }
    }
    for (Retired each : newestFirst(storage.retired())) {
      if (each.version() > 0 && !unneeded.contains(each) && needed(each.version())) {
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
   * Returns the versions to keep: the given and the newest ones, and all whose embedding rows they
   * need; all versions while that is not known.
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

  /** Returns whether the pointer, read just now, names another version than this one. */
  private boolean unpointed(long version, List<String> left) throws IOException {
    Place mine = place.check();
    try {
      return mine.decodedPointer().version() != version;
    } catch (CorruptModelException | NoSuchFileException damaged) {
      left.add(
          String.format(
              Locale.ROOT,
              "version %d stays until the pointer is whole again: %s",
              version,
              damaged.getMessage()));
      return false;
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
   * Hides a version from readers before it is deleted. Brings it back if meanwhile the version, or
   * one that needs its rows, was pinned or given an alias: a retired version cannot be pinned or
   * named.
   *
   * @return what is to be deleted
   */
  private Optional<Retired> retireUnneeded(long version, List<String> left) {
    Retired retired;
    try {
      retired = storage.retire(version);
    } catch (IOException failed) {
      left.add("cannot hide " + storage.address(version) + " before deleting it: " + failed);
      return Optional.empty();
    }
    if (needed(version)) {
      restore(retired, left);
      return Optional.empty();
    }
    return Optional.of(retired);
  }

  private void restore(Retired retired, List<String> left) {
    try {
      storage.restore(retired);
    } catch (IOException failed) {
      left.add("cannot restore " + storage.address(retired.version()) + ": " + failed);
    }
  }

  /**
   * Sorts retired versions, newest first: newer ones need older ones, so they are restored before
   * the older ones are checked.
   */
  private static List<Retired> newestFirst(List<Retired> retired) {
    return retired.stream().sorted(Comparator.comparingLong(Retired::version).reversed()).toList();
  }

  /**
   * Returns whether the pointer, the pin or an alias names a version, or one that needs its
   * embedding rows. True also if that cannot be told.
   */
  private boolean needed(long version) {
    try {
      // Another publisher may need versions that this one does not.
      Place mine = place.check();
      Set<Long> roots = new HashSet<>(pinnedVersion());
      roots.addAll(aliasedVersions());
      pointedVersion(mine).ifPresent(roots::add);
      return needs.with(roots).contains(version);
    } catch (IOException unknown) {
      LOG.debug("version {} may be needed: {}", version, unknown.toString());
      return true;
    }
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
