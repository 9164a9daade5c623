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
 * A publisher's place as it was found. What is in it is not believed before it was decoded.
 *
 * @param address where it is, for messages
 * @param epoch of its publisher; {@link #NO_EPOCH} if that cannot be read
 * @param holder null if it is missing
 * @param pointer null if it is missing
 * @param tag of an object; "" in a folder
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
   * Whose it is.
   *
   * @throws NoSuchFileException if nothing says so
   * @throws CorruptModelException if what says so is damaged
   */
  public Holder decodedHolder() throws NoSuchFileException, CorruptModelException {
    StoredPointer found = holder;
    if (found == null) {
      throw new NoSuchFileException(address + "/" + StoreLayout.HOLDER);
    }
    return ManifestCodec.holder(found.content(), found.address());
  }

  /**
   * What its pointer names.
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

  /** What it says of versions that were; damaged files say nothing, names suffice. */
  public long highestVersion() {
    long highest = 0;
    try {
      highest = decodedPointer().version();
    } catch (NoSuchFileException | CorruptModelException damaged) {
      LOG.debug("the pointer of {} tells no version: {}", address, damaged.toString());
    }
    try {
      highest = Math.max(highest, decodedHolder().highestVersion());
    } catch (NoSuchFileException | CorruptModelException damaged) {
      LOG.debug("the holder of {} tells no version: {}", address, damaged.toString());
    }
    return highest;
  }

  /**
   * Whether it is a publisher's. Nobody can have taken one that cannot be read.
   *
   * @param mine who asks
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
