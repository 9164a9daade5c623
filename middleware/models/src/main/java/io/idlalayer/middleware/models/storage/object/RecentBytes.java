package io.idlalayer.middleware.models.storage.object;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A cache of bytes, bounded in size; the least recently used entry is evicted first. Safe for
 * several threads.
 *
 * @param <K> key of an entry
 */
public final class RecentBytes<K> {
  /** Bytes that an entry takes besides its content. */
  private static final long ENTRY_BYTES = 256;

  private final long most;
  private final Map<K, Entry> entries = new LinkedHashMap<>(16, 0.75f, true);
  private long held;

  /**
   * A content and its entity tag.
   *
   * @param tag "" for none
   */
  public record Entry(String tag, byte[] content) {
    long bytes() {
      return ENTRY_BYTES + content.length;
    }
  }

  /**
   * @param most largest number of bytes in the cache, counting 256 besides each content
   */
  public RecentBytes(long most) {
    this.most = most;
  }

  /** Returns the entry of a key; null if the cache does not have it. */
  public synchronized @Nullable Entry get(K key) {
    return entries.get(key);
  }

  /**
   * Caches an entry in place of the key's earlier entry. An entry that is larger than the whole
   * cache is not kept.
   */
  public synchronized void put(K key, Entry entry) {
    Entry before = entries.remove(key);
    held -= before == null ? 0 : before.bytes();
    if (entry.bytes() > most) {
      return;
    }
    entries.put(key, entry);
    held += entry.bytes();
    Iterator<Entry> oldest = entries.values().iterator();
    while (held > most) {
      held -= oldest.next().bytes();
      oldest.remove();
    }
  }
}
