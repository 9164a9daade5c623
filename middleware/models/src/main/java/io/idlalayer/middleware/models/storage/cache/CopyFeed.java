package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.storage.Digests;
import java.io.IOException;
import java.nio.channels.ClosedChannelException;
import java.security.MessageDigest;

/**
 * Bytes of a complete copy. A copy that turns out to be damaged is deleted. If it is read from its
 * first byte to its last, its SHA-256 is compared as well: right checksums alone do not show that
 * another content was written. The reader has the bytes by then, and compares the SHA-256 itself.
 * So only the next reader needs the source.
 */
final class CopyFeed implements Feed {
  private final CacheFolder folder;
  private final CopyName name;
  private final CopyFile copy;
  private final CacheOperations operations;
  private final CacheTroubles troubles;
  private final MessageDigest digest = Digests.sha256();

  /** Number of bytes in {@link #digest}. */
  private long digested;

  CopyFeed(
      CacheFolder folder,
      CopyName name,
      CopyFile copy,
      CacheOperations operations,
      CacheTroubles troubles) {
    this.folder = folder;
    this.name = name;
    this.copy = copy;
    this.operations = operations;
    this.troubles = troubles;
  }

  @Override
  public int read(long position, byte[] into, int from, int length) {
    if (position >= name.bytes()) {
      return -1;
    }
    try {
      int count = copy.read(position, into, from, length);
      compare(position, into, from, count);
      return count;
    } catch (DamagedCopyException damaged) {
      drop(String.valueOf(damaged.getMessage()));
      return GONE;
    } catch (IOException unreadable) {
      // An interrupt of the thread closes the file; this is no trouble of the folder.
      if (!(unreadable instanceof ClosedChannelException)) {
        troubles.tell(CacheTroubles.Trouble.FILE, name.copy() + " cannot be read: " + unreadable);
      }
      return GONE;
    }
  }

  private void compare(long position, byte[] into, int from, int count) {
    if (position != digested) {
      return;
    }
    digest.update(into, from, count);
    digested += count;
    if (digested == name.bytes() && !Digests.text(digest).equals(name.sha256())) {
      drop("its content does not have the SHA-256 of its name");
    }
  }

  private void drop(String why) {
    try {
      copy.delete(folder, operations);
      troubles.damaged(name, why);
    } catch (IOException stays) {
      troubles.tell(
          CacheTroubles.Trouble.FILE, name.copy() + " is damaged and cannot be deleted: " + stays);
    }
  }

  @Override
  public void close() throws IOException {
    copy.close();
  }
}
