package io.idlalayer.middleware.cache.policy;

import java.util.function.IntConsumer;

/**
 * Evicts like the candidate policy that currently has the most hits in a simulated cache. Ghost
 * caches of all candidates see every key, or a sample of the keys in a large cache ({@link
 * PolicyTournament}).
 *
 * <p>If the ghosts see every key, the residents follow the content of the leading ghost: this
 * policy evicts a block that the ghost cache of the leader no longer contains. After a change of
 * leader the cache therefore approaches, miss by miss, the content that it would have if the new
 * leader had always led. If the ghosts see a sample, this policy applies the leader's policy
 * itself, which begins with the residents in the order of the previous policy.
 */
final class AdaptivePolicy implements EvictionPolicy {
  private static final int ORPHANS_SLACK = 64;

  private final Residents residents;
  private final PolicyTournament league;
  private final KeyQueue orphans = new KeyQueue();
  private EvictionPolicy active;
  private GhostCache followed;
  private int slots;
  private int blocks;
  private int capacity = 1;
  private boolean following;

  AdaptivePolicy(Residents residents, PolicyTournament.Budget budget) {
    this.residents = residents;
    league = new PolicyTournament(budget);
    league.start();
    active = new LruPolicy();
    followed = league.leadingGhost();
  }

  private void referenced(long hash, Reuse reuse, int weight) {
    if (league.reference(hash, reuse, weight) && league.elect(this::missingResidents)) {
      lead();
    }
  }

  private int missingResidents(GhostCache candidate) {
    int[] count = {0};
    active.forEach(
        slot -> {
          long hash = residents.hash(slot);
          if (league.sampled(hash) && !candidate.contains(hash)) {
            count[0]++;
          }
        });
    return count[0];
  }

  private void lead() {
    followed.onEviction(null);
    followed = league.leadingGhost();
    orphans.clear();
    following = league.whole();
    if (following) {
      followed.onEviction(this::orphan);
      active.forEach(this::orphanUnlessHeld);
    }
    // While a ghost is followed, the residents need only an order and no policy.
    EvictionPolicy next = following ? new LruPolicy() : league.leader().create(residents);
    next.ensure(slots);
    next.capacity(capacity);
    active.forEach(slot -> next.inserted(slot, Reuse.UNKNOWN));
    active = next;
  }

  /**
   * Queues the hash of a key that the leading ghost evicted, so that its block is evicted here too.
   * Keys are removed from the queue only when a victim is needed, which never happens while the
   * cache has space. So a queue that is longer than twice the number of residents is rebuilt from
   * the residents.
   */
  private void orphan(long hash) {
    if (orphans.size() < 2 * blocks + ORPHANS_SLACK) {
      orphans.add(hash);
    } else {
      orphans.clear();
      active.forEach(this::orphanUnlessHeld);
    }
  }

  private void orphanUnlessHeld(int slot) {
    long hash = residents.hash(slot);
    if (!followed.contains(hash)) {
      orphans.add(hash);
    }
  }

  @Override
  public void hit(int slot) {
    hit(slot, 1);
  }

  @Override
  public void hit(int slot, int weight) {
    active.hit(slot, weight);
    referenced(residents.hash(slot), Reuse.UNKNOWN, weight);
  }

  @Override
  public void missed(long hash, Reuse reuse) {
    active.missed(hash, reuse);
    referenced(hash, reuse, 1);
  }

  @Override
  public void inserted(int slot, Reuse reuse) {
    active.inserted(slot, reuse);
    blocks++;
  }

  @Override
  public int victim() {
    while (!orphans.isEmpty()) {
      long hash = orphans.first();
      int slot = residents.slot(hash);
      if (slot != Residents.NONE && !followed.contains(hash)) {
        return slot;
      }
      orphans.removeFirst();
    }
    return active.victim();
  }

  @Override
  public void removed(int slot) {
    active.removed(slot);
    blocks--;
  }

  @Override
  public void forgotten(long hash) {
    league.forget(hash);
  }

  @Override
  public void ensure(int slots) {
    this.slots = slots;
    active.ensure(slots);
  }

  @Override
  public void capacity(int entries, long bytesPerEntry) {
    league.bytesPerEntry(bytesPerEntry);
    capacity(entries);
  }

  @Override
  public void capacity(int entries) {
    if (entries != capacity) {
      boolean first = capacity == 1;
      capacity = entries;
      boolean wasWhole = league.whole();
      league.capacity(entries);
      if (first) {
        league.start();
      }
      active.capacity(entries);
      if (first || wasWhole != league.whole()) {
        lead();
      }
    }
  }

  @Override
  public void forEach(IntConsumer visitor) {
    active.forEach(visitor);
  }

  @Override
  public long metadataBytes() {
    return active.metadataBytes() + league.metadataBytes() + orphans.bytes();
  }
}
