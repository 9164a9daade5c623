package io.idlalayer.middleware.embedding.store;

import java.util.Map;

/** A log of a store: entries with ascending numbers. Belongs to one thread. */
public interface RowLog {
  /** Adds an entry, under a number above those of all others. */
  void append(long number, byte[] entry);

  /** All entries, by ascending numbers. */
  Iterable<Map.Entry<Long, byte[]>> entries();

  /** Deletes the entries from a number up to another, both included, as far as they are there. */
  void forget(long from, long upTo);
}
