package io.idlalayer.middleware.cache.shared;

import io.idlalayer.middleware.cache.CacheOwner;
import io.idlalayer.middleware.cache.CacheStats;
import io.idlalayer.middleware.cache.HotCache;
import io.idlalayer.middleware.cache.policy.Reuse;

/**
 * Memory that processes lend each other: blocks that one process evicts are offered to the
 * neighbour with the most free memory. A neighbour stores such blocks only in memory that none of
 * its own blocks needs, and evicts them before its own blocks. {@link #round} is called by one
 * thread, the other methods by any.
 */
final class Lending implements FileSegment.Offers {
  /**
   * If a neighbour has not recorded for this time, in milliseconds, that it lives, no blocks are
   * offered to it.
   */
  private static final long SILENT_MILLIS = 10_000;

  private static final int NONE = 0;

  /** Part of the cache that must be free before it lends or borrows: a sixteenth. */
  private static final int RESERVE_PART = 16;

  private final CacheFile file;
  private final int ownId;
  private final Outbox outbox;
  private volatile int donor = NONE;
  private volatile int lentOwner = -1;

  Lending(CacheFile file) {
    this.file = file;
    ownId = SharedDirectory.id(file.path());
    outbox = new Outbox(file.front(), file.layout());
  }

  @Override
  public boolean wanted(int owner) {
    return donor != NONE && owner != lentOwner;
  }

  @Override
  public void offer(byte[] record) {
    int to = donor;
    if (to != NONE) {
      outbox.send(to, Outbox.OFFER, record);
    }
  }

  /** Tells a neighbour that a block in its file was used. */
  void used(NeighbourFile neighbour, PayloadDigest digest) {
    outbox.send(SharedDirectory.id(neighbour.path()), Outbox.USE, BlockRecord.digestBytes(digest));
  }

  /**
   * Publishes the free memory, chooses the neighbour to which evicted blocks are offered, and takes
   * what neighbours offer.
   *
   * @param lent owner of the blocks that this process holds for its neighbours
   * @param nowMillis epoch milliseconds
   */
  void round(HotCache hot, CacheOwner lent, Neighbours neighbours, long nowMillis) {
    lentOwner = lent.number();
    long free = freeBytes(hot);
    file.freeBytes(free);
    NeighbourFile best = null;
    for (NeighbourFile each : neighbours.files()) {
      boolean lives = Math.abs(nowMillis - each.lastUseMillis()) < SILENT_MILLIS;
      if (lives && each.freeBytes() > (best == null ? 0 : best.freeBytes())) {
        best = each;
      }
      each.outbox().read(ownId, (kind, body) -> receive(hot, lent, kind, body));
    }
    // A process with free memory evicts nothing for want of it, or only for a moment.
    donor = best == null || free > 0 ? NONE : SharedDirectory.id(best.path());
  }

  private static long freeBytes(HotCache hot) {
    CacheStats stats = hot.stats();
    long used = stats.allocatedBytes();
    long reserve = stats.limitBytes() / RESERVE_PART;
    return Math.max(0, stats.limitBytes() - used - reserve);
  }

  private static void receive(HotCache hot, CacheOwner lent, int kind, byte[] body) {
    if (kind == Outbox.USE && body.length == PayloadDigest.BYTES) {
      PayloadDigest digest = BlockRecord.digest(body);
      hot.get(lent, digest.space(), digest.id());
    } else if (kind == Outbox.OFFER && body.length >= BlockRecord.HEADER_BYTES) {
      PayloadDigest digest = BlockRecord.digest(body);
      boolean undamaged = BlockRecord.holds(digest, body, body.length);
      if (undamaged
          && !hot.contains(digest.space(), digest.id())
          && freeBytes(hot) >= body.length) {
        hot.put(lent, digest.space(), digest.id(), body, Reuse.UNKNOWN);
      }
    }
  }
}
