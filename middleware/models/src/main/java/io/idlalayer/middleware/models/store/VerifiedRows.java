package io.idlalayer.middleware.models.store;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.storage.PartitionStorage;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Verifies files with embedding rows. Such files can fill a disk, so each is verified only once
 * until it changes. For one thread at a time.
 */
final class VerifiedRows {
  private static final Logger LOG = LoggerFactory.getLogger(VerifiedRows.class);

  private final VersionFiles files;
  private final PartitionStorage storage;
  private final Map<Long, Verified> verified = new HashMap<>();

  /**
   * A file with embedding rows that was verified.
   *
   * @param digest digest of the version's manifest
   * @param tag tag of the file, see {@link PartitionStorage#rowsTag}
   */
  private record Verified(String digest, String tag) {}

  VerifiedRows(VersionFiles files, PartitionStorage storage) {
    this.files = files;
    this.storage = storage;
  }

  /**
   * Reads and verifies the embedding rows of a version, unless they were verified before and the
   * file did not change.
   */
  void verify(ModelCheckpoint checkpoint) throws IOException {
    long version = checkpoint.version();
    Verified now = new Verified(checkpoint.digest(), storage.rowsTag(version));
    if (!now.equals(verified.get(version))) {
      verified.remove(version);
      files.verifyRows(checkpoint);
      verified.put(version, now);
    }
  }

  /**
   * Remembers as verified the embedding rows that this publisher has just written. If the tag of
   * their file cannot be read, the publication does not fail: the rows are verified when they are
   * needed.
   */
  void remember(long version, String digest) {
    try {
      verified.put(version, new Verified(digest, storage.rowsTag(version)));
    } catch (IOException failed) {
      LOG.debug("the rows of version {} are verified later: {}", version, failed.toString());
    }
  }

  void forget(long version) {
    verified.remove(version);
  }
}
