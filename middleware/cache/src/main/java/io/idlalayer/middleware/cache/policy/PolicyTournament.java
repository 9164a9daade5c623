package io.idlalayer.middleware.cache.policy;

/**
 * Simulates a cache under each candidate policy, in {@link GhostCache ghosts}, and elects the
 * policy that leads. Every few references the hits are compared, older ones counting less. The best
 * takes the lead if its advantage outweighs a share of what the switch costs, which is the number
 * of sampled residents that the new leader would not hold; that share doubles with each switch and
 * relaxes slowly, so that policies whose hits come in turns do not thrash (a metrical task system
 * with backing off).
 */
final class PolicyTournament {
  /**
   * Candidate policies: the first leads at the start, or the second in large caches with sampled
   * keys, because frequency counts take long to tell.
   */
  private static final PolicyName[] CANDIDATES = {
    PolicyName.W_TINY_LFU, PolicyName.SRRIP, PolicyName.LRU, PolicyName.HAND, PolicyName.PAPER
  };

  private static final int PERIOD_MIN = 64;
  private static final int PERIODS_PER_CAPACITY = 8;
  private static final int SAMPLE_SHIFT_MAX = 5;
  private static final double DECAY = 0.98;
  private static final double LEAD = 1.01;
  private static final double SWITCH_SHARE_MIN = 0.1;
  private static final double SWITCH_SHARE_MAX = 1;
  private static final double RELAXATION = 0.997;

  /** Approximate heap bytes that all ghosts together take for each of their entries. */
  private static final int GHOST_BYTES = 460;

  private static final int GHOST_SHARE = 12;
  private static final int SAMPLE_MIN = 1_024;
  private static final int START_WITH_COUNTS = 4_096;

  private final Budget budget;
  private final GhostCache[] ghosts = new GhostCache[CANDIDATES.length];
  private final double[] hits = new double[CANDIDATES.length];
  private final int[] recent = new int[CANDIDATES.length];
  private int sampleShift;
  private int thriftShift;
  private int entries;
  private int period = PERIOD_MIN;
  private int references;
  private int leader;
  private double switchShare = SWITCH_SHARE_MIN;

  /**
   * Limits of the number of entries of ghosts.
   *
   * @param wholeEntries most blocks of a cache whose ghosts have its own size
   * @param sampledEntries least number of entries of a ghost that sees only a sample of the keys
   */
  record Budget(int wholeEntries, int sampledEntries) {
    static final Budget DEFAULT = new Budget(16_384, 2_048);
  }

  /** Counts the sampled resident blocks that a candidate's ghost does not hold. */
  interface MissingResidents {
    int count(GhostCache candidate);
  }

  PolicyTournament(Budget budget) {
    this.budget = budget;
    for (int i = 0; i < ghosts.length; i++) {
      ghosts[i] = new GhostCache(CANDIDATES[i], 1);
    }
  }

  /**
   * Sets the mean size of a block. Ghosts then sample keys until they take at most a twelfth of the
   * blocks' memory, if enough keys remain.
   */
  void bytesPerEntry(long bytes) {
    thriftShift = 0;
    while (thriftShift < SAMPLE_SHIFT_MAX && GHOST_BYTES >> thriftShift > bytes / GHOST_SHARE) {
      thriftShift++;
    }
  }

  void capacity(int entries) {
    this.entries = entries;
    boolean large = entries > budget.wholeEntries();
    sampleShift = 0;
    while (sampleShift < SAMPLE_SHIFT_MAX
        && ((large && entries >> (sampleShift + 1) >= budget.sampledEntries())
            || (sampleShift < thriftShift && entries >> (sampleShift + 1) >= SAMPLE_MIN))) {
      sampleShift++;
    }
    int ghostEntries = Math.max(1, entries >> sampleShift);
    for (GhostCache ghost : ghosts) {
      ghost.resize(ghostEntries);
    }
    period = Math.max(PERIOD_MIN, ghostEntries / PERIODS_PER_CAPACITY);
  }

  /** Gives the lead to the policy with which a cache of this size starts. */
  void start() {
    leader = whole() || entries <= START_WITH_COUNTS ? 0 : 1;
  }

  /**
   * Returns whether ghosts see every key and are as large as the cache, instead of sampling keys.
   */
  boolean whole() {
    return sampleShift == 0;
  }

  boolean sampled(long hash) {
    return (hash >>> 40 & ((1 << sampleShift) - 1)) == 0;
  }

  PolicyName leader() {
    return CANDIDATES[leader];
  }

  GhostCache leadingGhost() {
    return ghosts[leader];
  }

  /**
   * References a key in the ghosts of all candidates, if it is sampled. Returns true if an election
   * is due.
   *
   * @param weight how many references this one stands for
   */
  boolean reference(long hash, Reuse reuse, int weight) {
    if (!sampled(hash)) {
      return false;
    }
    for (int i = 0; i < ghosts.length; i++) {
      if (ghosts[i].reference(hash, reuse, weight)) {
        recent[i] += weight;
      }
    }
    references += weight;
    return references >= period;
  }

  /** Removes a key from all ghosts, because the cache was told to forget it. */
  void forget(long hash) {
    if (sampled(hash)) {
      for (GhostCache ghost : ghosts) {
        ghost.forget(hash);
      }
    }
  }

  /** Elects the leader by the candidates' recent hits and returns whether it changed. */
  boolean elect(MissingResidents missingResidents) {
    references = 0;
    int best = leader;
    for (int i = 0; i < ghosts.length; i++) {
      hits[i] = DECAY * hits[i] + recent[i];
      recent[i] = 0;
      if (hits[i] > hits[best]) {
        best = i;
      }
    }
    boolean changes =
        best != leader
            && hits[best] > hits[leader] * LEAD
            && hits[best] - hits[leader] >= switchShare * missingResidents.count(ghosts[best]);
    if (changes) {
      leader = best;
      switchShare = Math.min(SWITCH_SHARE_MAX, 2 * switchShare);
    } else {
      switchShare = Math.max(SWITCH_SHARE_MIN, RELAXATION * switchShare);
    }
    return changes;
  }

  long metadataBytes() {
    long bytes = 0;
    for (GhostCache ghost : ghosts) {
      bytes += ghost.metadataBytes();
    }
    return bytes;
  }
}
