package io.idlalayer.middleware.models.storage.object;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.Condition;
import io.idlalayer.middleware.models.storage.object.ObjectBucket.StoredObject;
import java.io.IOException;
import java.util.Arrays;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An object in an object store that is replaced by compare and swap. If the answer to a swap is
 * lost, or the client sends the swap twice, reading the object tells whether the swap succeeded,
 * because no other process writes equal bytes.
 */
final class SwappedObject {
  private static final Logger LOG = LoggerFactory.getLogger(SwappedObject.class);

  private final ObjectBucket bucket;
  private final String key;

  SwappedObject(ObjectBucket bucket, String key) {
    this.bucket = bucket;
    this.key = key;
  }

  String address() {
    return bucket.address(key);
  }

  /** Reads the current content of the object; empty if there is no object. */
  Optional<StoredObject> read() throws IOException {
    return bucket.get(key, null);
  }

  /**
   * Reads the current object in order to replace it, even if it is damaged: an object that is too
   * large to read is returned without content.
   */
  Optional<StoredObject> readAny() throws IOException {
    try {
      return read();
    } catch (CorruptModelException tooLarge) {
      LOG.warn("{}; it counts as damaged", tooLarge.getMessage());
      return bucket.list(key).stream()
          .filter(each -> each.key().equals(key))
          .map(each -> new StoredObject(each.tag(), new byte[0]))
          .findFirst();
    }
  }

  /**
   * Replaces the object if it is unchanged since it was read.
   *
   * @param before the object as it was read; null if there was none
   * @return the new object; empty if the object was no longer {@code before}
   * @throws IOException if it is not known whether the object was replaced. The replacement can
   *     still take effect later, unless another swap comes first
   */
  Optional<StoredObject> swap(@Nullable StoredObject before, byte[] content) throws IOException {
    Condition condition =
        before == null ? new Condition.Absent() : new Condition.Matches(before.tag());
    IOException lost = null;
    try {
      Optional<String> tag = bucket.put(key, content, condition);
      if (tag.isPresent()) {
        return Optional.of(new StoredObject(tag.get(), content.clone()));
      }
    } catch (IOException failed) {
      lost = failed;
    }
    Optional<StoredObject> now;
    try {
      now = read();
    } catch (IOException unknown) {
      if (lost == null) {
        throw unknown;
      }
      lost.addSuppressed(unknown);
      throw lost;
    }
    if (now.isPresent() && Arrays.equals(now.get().content(), content)) {
      return now;
    }
    String tagBefore = before == null ? "" : before.tag();
    if (lost != null && now.map(StoredObject::tag).orElse("").equals(tagBefore)) {
      throw lost;
    }
    return Optional.empty();
  }
}
