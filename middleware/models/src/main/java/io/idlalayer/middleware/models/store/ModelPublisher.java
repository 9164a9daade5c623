package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.storage.Digests;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import io.idlalayer.middleware.models.storage.ModelStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.PartitionStorage.NewVersion;
import io.idlalayer.middleware.models.storage.Place;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The only publisher of an application partition, from {@link ModelStore#claim} until another
 * publisher claims its place.
 *
 * <p>A place has a number, its epoch, which is one above the epoch of the place before. Before a
 * publication, and when it moves the pointer, a publisher checks that it still has its place. If it
 * has lost the place, it throws {@link FencedPublisherException}, and readers do not see its
 * pointer, so a version that it has just written is never in service.
 *
 * <p>Safe for several threads. Publications, clean-ups and {@link #chain} wait for each other;
 * {@link #rollBack} waits for none of them.
 */
public final class ModelPublisher {
  private static final Logger LOG = LoggerFactory.getLogger(ModelPublisher.class);

  /** Number of attempts to take a place that other publishers take at the same time. */
  private static final int CLAIMS = 100;

  private final ModelStore store;
  private final ModelReader reader;
  private final ApplicationPartition of;
  private final InstantSource clock;
  private final PartitionStorage storage;
  private final HeldPlace place;
  private final VerifiedRows rows;
  private final NeededVersions needs = new NeededVersions(version -> read(version).manifest());
  private final VersionCleaner cleaner;

  /**
   * Lock that a thread holds while it changes the pin. The pin can change while a version is being
   * published.
   */
  private final Object pinning = new Object();

  /**
   * @param reader reader of this store; it returns nothing from a cache
   */
  ModelPublisher(
      ModelStore store,
      ModelReader reader,
      ModelStorage storage,
      ApplicationPartition of,
      PublisherIdentity identity,
      InstantSource clock) {
    this.store = store;
    this.reader = reader;
    this.of = of;
    this.clock = clock;
    this.storage = storage.partition(of);
    place = new HeldPlace(this.storage, identity, clock);
    rows = new VerifiedRows(store.files(), this.storage);
    cleaner = new VersionCleaner(store, reader, of, this.storage, place, needs, rows);
  }

  /**
   * Returns the epoch of this publisher: the number of its place. The epoch grows with every claim
   * of the application partition, unless the files of the publishers' places are deleted.
   */
  public long epoch() {
    return place.holder().epoch();
  }

  /** Takes the place of the publisher that has it now. */
  synchronized void claim() throws IOException {
    storage.prepare();
    needs.clear();
    for (int i = 0; i < CLAIMS; i++) {
      Optional<Place> before = storage.place();
      Pointer pointer = inherited(before);
      Holder mine = place.holderOf(before.map(Place::epoch).orElse(0L) + 1, highestVersion(before));
      if (storage.take(before, mine, pointer)) {
        place.take(mine);
        adopt(before, pointer);
        return;
      }
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "%s: %d other publishers came first; stop all but one",
            storage.address(),
            CLAIMS));
  }

  /**
   * Moves the pointer to a version that the replaced publisher finished after this publisher had
   * read the pointer.
   */
  private void adopt(Optional<Place> before, Pointer taken) throws IOException {
    Optional<StoredPointer> moved =
        before.isEmpty() ? Optional.empty() : storage.movedAfter(before.get());
    if (moved.isEmpty()) {
      return;
    }
    String file = moved.get().address();
    Pointer now;
    try {
      now = ManifestCodec.pointer(moved.get().content(), file);
      if (now.version() <= taken.version()) {
        return;
      }
      verify(reader.manifests().pointed(of, now, file));
    } catch (IOException damaged) {
      // No version was completed in between; the inherited pointer stays.
      LOG.debug("{} names no complete newer version: {}", file, damaged.toString());
      return;
    }
    if (!storage.point(place.holder(), now)) {
      LOG.debug("{}: another publisher has already taken the place", storage.address());
    }
  }

  /**
   * Returns the pointer with which this publisher begins: the pointer of the replaced publisher if
   * it is intact, otherwise a pointer to the newest complete version.
   */
  private Pointer inherited(Optional<Place> before) throws IOException {
    String reason;
    if (before.isEmpty()) {
      if (storage.versions().isEmpty()) {
        return Pointer.NOTHING;
      }
      reason = storage.address() + " has versions but no pointer";
    } else {
      try {
        Pointer pointer = before.get().decodedPointer();
        if (pointer.version() > 0) {
          verify(reader.manifests().pointed(of, pointer, before.get().address()));
        }
        return pointer;
      } catch (NoSuchFileException missing) {
        reason = missing.getMessage() + " is missing";
      } catch (IOException damaged) {
        // Also rebuilt if the pointer cannot be read at all, so that new models can be published.
        reason = String.valueOf(damaged.getMessage());
      }
    }
    Pointer rebuilt = newestWhole();
    LOG.warn(
        "{}; the pointer is rebuilt from the versions and names {}",
        reason,
        rebuilt.version() == 0 ? "none, as none is complete" : "version " + rebuilt.version());
    return rebuilt;
  }

  private Pointer newestWhole() throws IOException {
    List<Long> versions = storage.versions();
    for (int i = versions.size() - 1; i >= 0; i--) {
      try {
        ModelCheckpoint checkpoint = read(versions.get(i));
        verify(checkpoint);
        return Pointer.to(checkpoint);
      } catch (IOException damaged) {
        LOG.warn("a version was skipped while the pointer is rebuilt: {}", damaged.getMessage());
      }
    }
    return Pointer.NOTHING;
  }

  private ModelCheckpoint read(long version) throws IOException {
    return reader.read(of.application(), of.partition(), version);
  }

  private void verify(ModelCheckpoint checkpoint) throws IOException {
    reader.files().verify(checkpoint);
    for (ModelCheckpoint link : reader.chain(checkpoint)) {
      rows.verify(link);
    }
  }

  /**
   * Returns the versions whose embedding rows together make up the rows of a version, see {@link
   * ModelStore#chain}. Verifies the files with these rows; a publisher reads each file once, and
   * again after the file has changed.
   *
   * @param digest digest of the manifest of the version
   * @throws CorruptModelException naming the first version that is missing, damaged or has another
   *     digest
   */
  public synchronized List<ModelCheckpoint> chain(long version, String digest) throws IOException {
    List<ModelCheckpoint> chain = reader.chain(reader.parent(of, version, digest));
    for (ModelCheckpoint link : chain) {
      rows.verify(link);
    }
    return chain;
  }

  /** Returns the highest version that any file or place mentions; 0 if there is none. */
  private long highestVersion(Optional<Place> read) throws IOException {
    return Math.max(storage.highestVersion(read), place.holder().highestVersion());
  }

  /**
   * Publishes a model and returns its version once the version is durable and the pointer names it.
   * The number is above the number of every version that was ever current or is still stored, even
   * if the pointer is damaged.
   *
   * @throws FencedPublisherException if another publisher has the place
   * @throws IOException if the store fails; the current version stays current, and the caller may
   *     try the publication again
   * @throws CorruptModelException if the draft changes rows of its parent, and the parent's rows
   *     are missing or damaged
   */
  public synchronized ModelCheckpoint publish(ModelDraft draft) throws IOException {
    if (!draft.application().equals(of.application()) || draft.partition() != of.partition()) {
      throw new IllegalArgumentException(
          String.format(
              Locale.ROOT,
              "a model of %s/%d does not belong to %s",
              draft.application(),
              draft.partition(),
              storage.address()));
    }
    Optional<Place> now = storage.place();
    if (now.isEmpty()) {
      // The store was emptied, and no other publisher has come.
      claim();
      now = storage.place();
    } else {
      place.check(now);
    }
    if (ModelManifest.ROW_CHANGES.equals(draft.attributes().get(ModelManifest.ROWS))) {
      chain(draft.parentVersion(), draft.parentDigest());
    }
    try {
      return write(draft, now);
    } catch (IOException failed) {
      place.checkAfter(failed);
      throw failed;
    }
  }

  private ModelCheckpoint write(ModelDraft draft, Optional<Place> read) throws IOException {
    long version = Math.max(draft.minimumVersion(), highestVersion(read) + 1);
    NewVersion begun = storage.begin(place.holder(), version);
    ModelManifest manifest;
    byte[] encoded;
    try {
      List<ModelFile> contents = new ArrayList<>();
      for (Map.Entry<String, byte[]> file : draft.files().entrySet()) {
        contents.add(begun.write(file.getKey(), file.getValue()));
      }
      for (Map.Entry<String, Path> file : draft.copied().entrySet()) {
        contents.add(begun.copy(file.getKey(), file.getValue()));
      }
      manifest = manifest(draft, version, contents);
      encoded = ManifestCodec.encode(manifest);
      begun.finish(encoded);
    } catch (IOException failed) {
      begun.abandon(failed);
      throw failed;
    }
    String digest = Digests.sha256(encoded);
    if (ModelManifest.ROW_CHANGES.equals(draft.attributes().get(ModelManifest.ROWS))) {
      // Writing takes long, and a publisher that was replaced can delete the parent meanwhile. A
      // deletion of a version starts with its manifest.
      place.check();
      reader.chain(reader.parent(of, draft.parentVersion(), draft.parentDigest()));
    }
    if (!storage.point(
        place.holder(), new Pointer(ModelManifest.FORMAT_VERSION, version, digest))) {
      throw place.fenced();
    }
    needs.learn(manifest);
    if (manifest.hasRows()) {
      rows.remember(version, digest);
    }
    ModelCheckpoint published = new ModelCheckpoint(storage.address(version), manifest, digest);
    store.manifests().remember(published);
    return published;
  }

  /**
   * Pins an older version, which then serves until a version above {@code left} is current.
   *
   * <p>Verifies the files of the older version, but compares only the lengths of the files with
   * rows: these can fill a disk, and a worse model serves meanwhile. Subscribers verify everything.
   * Does not wait for a publication or a clean-up on another thread. If a publication ends with a
   * newer version, the newer version serves. A clean-up does not delete a pinned version.
   *
   * @param digest digest of the manifest of {@code version}
   * @param left the version to take out of service, above {@code version}
   * @param reason a sentence that the pin keeps
   * @throws CorruptModelException if the version is missing or found damaged
   * @throws FencedPublisherException if another publisher has the place
   * @throws AlreadyPinnedException if an operator has pinned a version without an end, or has
   *     already replaced {@code left} by another version
   */
  public void rollBack(long version, String digest, long left, String reason) throws IOException {
    if (left <= version) {
      throw new IllegalArgumentException(
          String.format(Locale.ROOT, "version %d is not older than version %d", version, left));
    }
    synchronized (pinning) {
      ModelCheckpoint back = read(version);
      if (!back.digest().equals(digest)) {
        throw new CorruptModelException(
            "%s has digest %s, and %s is expected"
                .formatted(back.location(), back.digest(), digest));
      }
      reader.files().verify(back);
      // Reading from a slow medium takes long; an operator could have pinned a version meanwhile.
      place.check();
      Optional<Pin> pinned = reader.pin(of.application(), of.partition());
      if (pinned.isPresent() && pinned.get().forbids(version, left)) {
        throw new AlreadyPinnedException(pinned.get());
      }
      store.pinVerified(back, left, reason);
    }
  }

  private ModelManifest manifest(ModelDraft draft, long version, List<ModelFile> contents) {
    return new ModelManifest(
        ModelManifest.FORMAT_VERSION,
        draft.application(),
        draft.partition(),
        version,
        draft.parentVersion(),
        draft.parentDigest(),
        clock.millis(),
        draft.inputOffsets(),
        draft.counts(),
        draft.metrics(),
        draft.attributes(),
        contents);
  }

  /**
   * The result of a clean-up: how many versions it deleted, and what it could not delete.
   *
   * @param removed number of versions that were deleted
   * @param left what could not be deleted, one sentence each; the next clean-up tries again
   */
  public record CleanUp(int removed, List<String> left) {}

  /**
   * Deletes old versions, and files that crashed publishers left unfinished. These versions stay:
   * the newest versions, the version that the pointer names, the versions in {@code wanted}, pinned
   * versions, versions with an alias, and all versions whose rows one of these needs. A version
   * first becomes invisible as a whole, so that no reader finds half of it. If a version cannot be
   * deleted, this is logged once and the clean-up goes on. One clean-up reads and deletes a bounded
   * number of versions; the next clean-up continues.
   *
   * @param keep number of newest versions that stay, at least 1
   * @param wanted further versions that stay
   * @throws FencedPublisherException if another publisher has the place; nothing is deleted
   * @throws IOException if the store cannot be read
   */
  public synchronized CleanUp cleanUp(int keep, Set<Long> wanted) throws IOException {
    if (keep < 1) {
      throw new IllegalArgumentException("at least 1 version must stay, not " + keep);
    }
    return cleaner.run(keep, wanted);
  }

  /**
   * Deletes all versions up to {@code before}, even if a pin or an alias names them; removes such
   * pins and aliases first. As long as no version above {@code before} is current, changes nothing.
   *
   * @throws FencedPublisherException if another publisher has the place; nothing is deleted
   * @throws IOException if the store fails, or a version cannot be deleted; a later call tries
   *     again
   */
  public synchronized void forget(long before) throws IOException {
    Place now = place.check();
    if (now.decodedPointer().version() <= before
        || storage.versions().stream().noneMatch(version -> version <= before)) {
      return;
    }
    removeNames(before);
    CleanUp done;
    do {
      Set<Long> newer =
          storage.versions().stream()
              .filter(version -> version > before)
              .collect(Collectors.toSet());
      done = cleaner.run(1, newer);
    } while (done.removed() > 0 && storage.versions().stream().anyMatch(each -> each <= before));
    List<Long> left = storage.versions().stream().filter(each -> each <= before).toList();
    if (!left.isEmpty()) {
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s: versions up to %d are to be deleted, and %s stay: %s",
              storage.address(),
              before,
              left,
              String.join("; ", done.left())));
    }
  }

  /** Removes the pin and the aliases of versions up to {@code before}. */
  private void removeNames(long before) throws IOException {
    synchronized (pinning) {
      Optional<Pin> pin = reader.pin(of.application(), of.partition());
      if (pin.isPresent() && pin.get().version() <= before) {
        store.unpin(of.application(), of.partition());
        LOG.warn(
            "{}: version {} is not pinned any more, because versions up to {} are deleted",
            storage.address(),
            pin.get().version(),
            before);
      }
    }
    for (Map.Entry<String, Alias> each :
        reader.aliases(of.application(), of.partition()).entrySet()) {
      if (each.getValue().version() <= before) {
        store.removeAlias(of.application(), of.partition(), each.getKey());
        LOG.warn(
            "{}: alias {} of version {} is removed, because versions up to {} are deleted",
            storage.address(),
            each.getKey(),
            each.getValue().version(),
            before);
      }
    }
  }
}
