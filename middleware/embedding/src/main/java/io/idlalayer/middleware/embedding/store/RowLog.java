package io.idlalayer.middleware.embedding.store;

import java.util.Map;

/** A log in a row store: entries with ascending numbers. Belongs to one thread. */
public interface RowLog {
  /** Appends an entry. Its number is higher than those of all other entries. */
  void append(long number, byte[] entry);

  /** Returns all entries, by ascending numbers. */
  Iterable<Map.Entry<Long, byte[]>> entries();

  /** Deletes the entries from one number up to another, both included; missing ones are skipped. */
  void forget(long from, long upTo);
}
