package io.idlalayer.middleware.cache.policy;

import java.util.Arrays;

/**
 * Records by how many hits each candidate policy leads each other candidate, and how large a lead
 * was recently lost again. If keys are swept back and forth, two equally good policies get their
 * hits in turns: each policy leads by up to the size of the cache, and then loses the whole lead. A
 * lead of this kind does not show which policy is better. It can be recognized, because it comes in
 * runs of references that are hits for one policy and misses for the other. A policy that suits the
 * stream better keeps its lead, and its additional hits are scattered.
 *
 * <p>References are counted at once ({@link #disagree}), and at the end of a period the sums of the
 * period are recorded ({@link #endPeriod}).
 */
final class LeadRecord {
  /**
   * If candidates disagree on more than this share of the references of a period, the period
   * belongs to a run.
   */
  private static final double RUN_SHARE = 0.3;

  /** Share of a lost lead that is remembered from one period to the next. */
  private static final double MEMORY = 0.9995;

  private final int candidates;

  /** Hits of one candidate minus the hits of the other, since the beginning. */
  private final double[][] ahead;

  /** Smallest value of {@link #ahead} since a lead was lost completely. */
  private final double[][] lowest;

  /** Largest value of {@link #ahead} after the smallest one. */
  private final double[][] highest;

  /** Largest lead that was lost again. The value decreases over time. */
  private final double[][] lost;

  /** Hits by which a candidate leads the leader outside runs, at least 0. */
  private final double[] scattered;

  private final int[] scatteredNow;
  private final long[] won;
  private final long[] conceded;
  private long clock;

  LeadRecord(int candidates) {
    this.candidates = candidates;
    ahead = new double[candidates][candidates];
    lowest = new double[candidates][candidates];
    highest = new double[candidates][candidates];
    lost = new double[candidates][candidates];
    scattered = new double[candidates];
    scatteredNow = new int[candidates];
    won = new long[candidates];
    conceded = new long[candidates];
    Arrays.fill(won, -SweepStart.RUN_GAP);
    Arrays.fill(conceded, -SweepStart.RUN_GAP);
  }

  /**
   * Records a reference on which candidates possibly disagree.
   *
   * @param hitBy bit i is set if the key was resident for candidate i
   * @param weight number of references for which this one stands
   */
  void referenced(int hitBy, int leader, int weight) {
    clock++;
    if (hitBy != 0 && hitBy != (1 << candidates) - 1) {
      disagree(hitBy, leader, weight);
    }
  }

  private void disagree(int hitBy, int leader, int weight) {
    int leaders = hitBy >> leader & 1;
    for (int i = 0; i < candidates; i++) {
      int own = hitBy >> i & 1;
      if (own != leaders) {
        long[] latest = own == 1 ? won : conceded;
        if (clock - latest[i] > SweepStart.RUN_GAP) {
          scatteredNow[i] += own == 1 ? weight : -weight;
        }
        latest[i] = clock;
      }
    }
  }

  /**
   * Records the sums of a period.
   *
   * @param hits hits of each candidate in the period
   * @param references number of references in the period
   */
  void endPeriod(int[] hits, int leader, int references) {
    for (int i = 0; i < candidates; i++) {
      for (int j = 0; j < candidates; j++) {
        if (i != j) {
          enter(i, j, hits[i] - hits[j]);
        }
      }
      if (Math.abs(hits[i] - hits[leader]) < RUN_SHARE * references) {
        scattered[i] = Math.max(0, scattered[i] + scatteredNow[i]);
      }
      scatteredNow[i] = 0;
    }
  }

  private void enter(int i, int j, int more) {
    double now = ahead[i][j] + more;
    ahead[i][j] = now;
    double lossNow = Math.min(highest[i][j] - lowest[i][j], highest[i][j] - now);
    lost[i][j] = Math.max(lost[i][j] * MEMORY, lossNow);
    if (now <= lowest[i][j]) {
      lowest[i][j] = now;
      highest[i][j] = now;
    }
    highest[i][j] = Math.max(highest[i][j], now);
  }

  /** Begins to compare with another leader. */
  void leaderChanged() {
    Arrays.fill(scattered, 0);
  }

  /** Returns by how many hits a candidate has gained on the leader. */
  double lead(int candidate, int leader) {
    return ahead[candidate][leader] - lowest[candidate][leader];
  }

  /** Returns by how many hits outside of runs a candidate has gained on the leader. */
  double scatteredLead(int candidate) {
    return scattered[candidate];
  }

  /** Returns the largest lead over the leader that a candidate has lost again lately. */
  double lostLead(int candidate, int leader) {
    return lost[candidate][leader];
  }

  long bytes() {
    return 8L * candidates * (4L * candidates + 3) + 4L * candidates;
  }
}
