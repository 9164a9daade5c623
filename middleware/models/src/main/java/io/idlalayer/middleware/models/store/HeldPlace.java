package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import io.idlalayer.middleware.models.storage.Place;
import java.io.IOException;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * Knows the place of a publisher in the store, and checks whether the publisher still has it.
 * {@link #take} is called by one thread at a time, the other methods by any thread.
 */
final class HeldPlace {
  private final PartitionStorage storage;
  private final PublisherIdentity identity;
  private final InstantSource clock;
  private volatile Holder holder;

  /**
   * Creates the holder of a place; before the first {@link #take} no place in the store is this
   * publisher's.
   */
  HeldPlace(PartitionStorage storage, PublisherIdentity identity, InstantSource clock) {
    this.storage = storage;
    this.identity = identity;
    this.clock = clock;
    holder = holderOf(0, 0);
  }

  /**
   * Returns the record of a publisher's place for this publisher, with a token that no other place
   * has.
   */
  Holder holderOf(long epoch, long highestVersion) {
    return new Holder(
        ModelManifest.FORMAT_VERSION,
        epoch,
        UUID.randomUUID().toString(),
        identity.run(),
        identity.place(),
        clock.millis(),
        highestVersion);
  }

  /** Remembers that the place with this holder was written to the store. */
  void take(Holder mine) {
    holder = mine;
  }

  Holder holder() {
    return holder;
  }

  /**
   * Reads the place again and returns it; throws if another publisher has taken it.
   *
   * @throws FencedPublisherException if another publisher has the place, or the place is gone
   */
  Place check() throws IOException {
    return check(storage.place());
  }

  /** Checks whether a place that was just read is still this publisher's, like {@link #check()}. */
  Place check(Optional<Place> now) throws FencedPublisherException {
    if (now.isEmpty() || !now.get().isOf(holder)) {
      throw fenced(now);
    }
    return now.get();
  }

  /**
   * Checks whether the cause of a failure is that another publisher has taken the place.
   *
   * @throws FencedPublisherException if another publisher has the place
   */
  void checkAfter(IOException failed) throws FencedPublisherException {
    if (failed instanceof FencedPublisherException) {
      return;
    }
    try {
      check();
    } catch (FencedPublisherException fenced) {
      fenced.addSuppressed(failed);
      throw fenced;
    } catch (IOException alsoFailed) {
      failed.addSuppressed(alsoFailed);
    }
  }

  /** Returns the exception that names the publisher that has the place now. */
  FencedPublisherException fenced() throws IOException {
    return fenced(storage.place());
  }

  private FencedPublisherException fenced(Optional<Place> now) {
    Holder mine = holder;
    String by = "unknown, because the file that names it is gone";
    boolean sameRun = false;
    if (now.isPresent()) {
      try {
        Holder other = now.get().decodedHolder();
        sameRun = other.run().equals(mine.run());
        by =
            String.format(
                Locale.ROOT,
                "%s (%s) with epoch %d, since %s",
                other.run(),
                other.place(),
                now.get().epoch(),
                Instant.ofEpochMilli(other.claimedAtMillis()));
      } catch (IOException damaged) {
        by = "an unknown run with epoch " + now.get().epoch();
      }
    }
    return new FencedPublisherException(
        String.format(
            Locale.ROOT,
            "%s (%s) had epoch %d as publisher in %s; the publisher is now %s. This one publishes"
                + " nothing there any more: let only one run publish there",
            mine.run(),
            mine.place(),
            mine.epoch(),
            storage.address(),
            by),
        sameRun);
  }
}
