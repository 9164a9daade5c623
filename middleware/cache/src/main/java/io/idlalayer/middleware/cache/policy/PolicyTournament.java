package io.idlalayer.middleware.cache.policy;

/**
 * Simulates a cache under each candidate policy, in {@link GhostCache ghosts}, and elects the
 * policy that leads. After every few references it compares the hits of the candidates; older hits
 * count less.
 *
 * <p>The best candidate becomes the leader if its advantage in hits is large enough compared with
 * the cost of the switch. The cost is the number of sampled resident blocks that the ghost of the
 * new leader does not contain. The necessary advantage depends on how the hits came:
 *
 * <ul>
 *   <li>If the hits were scattered, the advantage must exceed a share of the cost. The share
 *       doubles with each switch and falls slowly.
 *   <li>If the hits came in runs, the advantage must exceed a multiple of the cost.
 *   <li>In both cases the advantage must exceed every advantage that was recently lost again
 *       ({@link LeadRecord}).
 * </ul>
 *
 * <p>So the lead does not alternate between policies whose hits come alternately (a metrical task
 * system with backing off).
 *
 * <p>Until the cache is full, all candidates have the same content. Then the first candidate leads,
 * unless the stream looks like a sweep ({@link SweepStart}).
 */
final class PolicyTournament {
  /**
   * Candidate policies. The first leads at the start. In large caches with sampled keys the second
   * leads at the start, because frequency counts take long to become meaningful. On a sweep the
   * last leads, because it keeps the keys that came first, which is good if the sweep starts again
   * or turns round.
   */
  private static final PolicyName[] CANDIDATES = {
    PolicyName.W_TINY_LFU, PolicyName.SRRIP, PolicyName.LRU, PolicyName.HAND, PolicyName.PAPER
  };

  private static final int RECENCY = 2;
  private static final int SWEEP = 4;

  private static final int PERIOD_MIN = 64;
  private static final int PERIODS_PER_CAPACITY = 8;
  private static final int SAMPLE_SHIFT_MAX = 5;
  private static final double DECAY = 0.98;
  private static final double LEAD = 1.01;
  private static final double SWITCH_SHARE_MIN = 0.1;
  private static final double SWITCH_SHARE_MAX = 1;
  private static final double RELAXATION = 0.997;

  /** Share of the cost of a switch that a scattered advantage must outweigh on a sweep. */
  private static final double SWEEP_SHARE = 4;

  /** Multiple of the cost of a switch that an advantage must outweigh if its hits came in runs. */
  private static final double RUN_SHARE = 3;

  /** Least cost of a switch for an advantage that came in runs, as a share of the ghost's size. */
  private static final double RUN_COST_MIN = 0.5;

  /** Factor by which an advantage must exceed an earlier advantage that was lost again. */
  private static final double BEYOND_LOST = 1.15;

  /** Approximate heap bytes that all ghosts together take for each of their entries. */
  private static final int GHOST_BYTES = 460;

  private static final int GHOST_SHARE = 12;
  private static final int SAMPLE_MIN = 1_024;
  private static final int START_WITH_COUNTS = 4_096;

  private final Budget budget;
  private final GhostCache[] ghosts = new GhostCache[CANDIDATES.length];
  private final double[] hits = new double[CANDIDATES.length];
  private final int[] recent = new int[CANDIDATES.length];
  private final LeadRecord leads = new LeadRecord(CANDIDATES.length);
  private final SweepStart sweepStart = new SweepStart();
  private int sampleShift;
  private int thriftShift;
  private int entries;
  private int ghostEntries = Integer.MAX_VALUE;
  private int period = PERIOD_MIN;
  private int references;
  private int leader;
  private double switchShare = SWITCH_SHARE_MIN;

  /**
   * Limits of the number of entries of ghosts.
   *
   * @param wholeEntries largest number of blocks of a cache whose ghosts have the size of the cache
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
    ghostEntries = Math.max(1, entries >> sampleShift);
    for (GhostCache ghost : ghosts) {
      ghost.resize(ghostEntries);
    }
    period = Math.max(PERIOD_MIN, ghostEntries / PERIODS_PER_CAPACITY);
  }

  /** Gives the lead to the policy with which a cache of this size starts. */
  void start() {
    sweepStart.restart();
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
   * @param weight number of references for which this one stands
   */
  boolean reference(long hash, Reuse reuse, int weight) {
    if (!sampled(hash)) {
      return false;
    }
    int hitBy = 0;
    for (int i = 0; i < ghosts.length; i++) {
      if (ghosts[i].reference(hash, reuse, weight)) {
        hitBy |= 1 << i;
        recent[i] += weight;
      }
    }
    sweepStart.referenced((hitBy >> RECENCY & 1) == 1, weight);
    leads.referenced(hitBy, leader, weight);
    references += weight;
    return references >= period || (sweepStart.filling() && full());
  }

  private boolean full() {
    return ghosts[RECENCY].size() >= ghostEntries;
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
    int before = leader;
    if (!sweepStart.filling()) {
      leads.endPeriod(recent, leader, references);
      countHits();
      leader = best(missingResidents);
      switchShare =
          leader == before
              ? Math.max(SWITCH_SHARE_MIN, RELAXATION * switchShare)
              : Math.min(SWITCH_SHARE_MAX, 2 * switchShare);
    } else {
      countHits();
      if (full()) {
        sweepStart.filled();
        leader = sweepStart.sweeping() ? SWEEP : leader;
      }
    }
    references = 0;
    if (leader != before) {
      leads.leaderChanged();
    }
    return leader != before;
  }

  private void countHits() {
    for (int i = 0; i < ghosts.length; i++) {
      hits[i] = DECAY * hits[i] + recent[i];
      recent[i] = 0;
    }
  }

  private int best(MissingResidents missingResidents) {
    int best = leader;
    for (int i = 0; i < ghosts.length; i++) {
      if (hits[i] > hits[best] && hits[i] > hits[leader] * LEAD && outweighs(i, missingResidents)) {
        best = i;
      }
    }
    return best;
  }

  private boolean outweighs(int candidate, MissingResidents missingResidents) {
    double lead = leads.lead(candidate, leader);
    if (lead < BEYOND_LOST * leads.lostLead(candidate, leader)) {
      return false;
    }
    GhostCache ghost = ghosts[candidate];
    int missing = missingResidents.count(ghost);
    double share = sweepStart.sweeping() ? SWEEP_SHARE : switchShare;
    return leads.scatteredLead(candidate) >= share * missing
        || lead >= RUN_SHARE * Math.max(missing, RUN_COST_MIN * ghost.size());
  }

  long metadataBytes() {
    long bytes = leads.bytes();
    for (GhostCache ghost : ghosts) {
      bytes += ghost.metadataBytes();
    }
    return bytes;
  }
}
