package io.idlalayer.middleware.models.storage.cache;

import java.io.IOException;
import java.nio.channels.ClosedChannelException;

/** Bytes of a complete copy. A copy that turns out to be damaged is deleted. */
final class CopyFeed implements Feed {
  private final CacheFolder folder;
  private final CopyName name;
  private final CopyFile copy;
  private final CacheOperations operations;
  private final CacheTroubles troubles;

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
      return copy.read(position, into, from, length);
    } catch (DamagedCopyException damaged) {
      try {
        copy.delete(folder, operations);
        troubles.damaged(name, String.valueOf(damaged.getMessage()));
      } catch (IOException stays) {
        troubles.tell(
            CacheTroubles.Trouble.FILE,
            name.copy() + " is damaged and cannot be deleted: " + stays);
      }
      return GONE;
    } catch (IOException unreadable) {
      // An interrupt of the thread closes the file; this is no trouble of the folder.
      if (!(unreadable instanceof ClosedChannelException)) {
        troubles.tell(CacheTroubles.Trouble.FILE, name.copy() + " cannot be read: " + unreadable);
      }
      return GONE;
    }
  }

  @Override
  public void close() throws IOException {
    copy.close();
  }
}
