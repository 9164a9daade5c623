package io.idlalayer.middleware.models.storage;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Holder;
import io.idlalayer.middleware.models.manifest.ManifestCodec.Pointer;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.ModelSource.StoredPointer;
import java.nio.file.NoSuchFileException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A publisher's place in the storage, as it was read: the publisher that may publish, and the
 * pointer. Its contents count as untrusted until they are decoded.
 *
 * @param address address of the place, for messages
 * @param epoch epoch of the publisher; {@link #NO_EPOCH} if the place cannot be read
 * @param holder the stored holder; null if it is missing
 * @param pointer the stored pointer; null if it is missing
 * @param tag tag of the object; "" in a folder
 */
public record Place(
    String address,
    long epoch,
    @Nullable StoredPointer holder,
    @Nullable StoredPointer pointer,
    String tag) {
  public static final long NO_EPOCH = 0;
  private static final Logger LOG = LoggerFactory.getLogger(Place.class);

  /**
   * Decodes the holder: the publisher that has this place.
   *
   * @throws NoSuchFileException if there is none
   * @throws CorruptModelException if it is damaged
   */
  public Holder decodedHolder() throws NoSuchFileException, CorruptModelException {
    StoredPointer found = holder;
    if (found == null) {
      throw new NoSuchFileException(address + "/" + StoreLayout.HOLDER);
    }
    return ManifestCodec.holder(found.content(), found.address());
  }

  /**
   * Decodes the pointer of this place, which names the version in service.
   *
   * @throws NoSuchFileException if there is none
   * @throws CorruptModelException if it is damaged
   */
  public Pointer decodedPointer() throws NoSuchFileException, CorruptModelException {
    StoredPointer found = pointer;
    if (found == null) {
      throw new NoSuchFileException(address + "/" + StoreLayout.POINTER);
    }
    return ManifestCodec.pointer(found.content(), found.address());
  }

  /**
   * Returns the highest version that the place's files mention; damaged files count by their names
   * only.
   */
  public long highestVersion() {
    long highest = 0;
    try {
      highest = decodedPointer().version();
    } catch (NoSuchFileException | CorruptModelException damaged) {
      LOG.debug("the version in the pointer of {} cannot be read: {}", address, damaged.toString());
    }
    try {
      highest = Math.max(highest, decodedHolder().highestVersion());
    } catch (NoSuchFileException | CorruptModelException damaged) {
      LOG.debug("the version in the holder of {} cannot be read: {}", address, damaged.toString());
    }
    return highest;
  }

  /**
   * Returns whether this place still belongs to a publisher. A place that cannot be read cannot
   * have been taken by another publisher.
   *
   * @param mine the publisher that asks
   */
  public boolean isOf(Holder mine) {
    if (epoch != NO_EPOCH && epoch != mine.epoch()) {
      return false;
    }
    try {
      return decodedHolder().token().equals(mine.token());
    } catch (NoSuchFileException | CorruptModelException unreadable) {
      LOG.debug("the holder of {} cannot be read: {}", address, unreadable.toString());
      return true;
    }
  }
}
