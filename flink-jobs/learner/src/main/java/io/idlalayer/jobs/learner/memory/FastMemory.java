package io.idlalayer.jobs.learner.memory;

import io.idlalayer.jobs.learner.memory.Claimant.Change;
import io.idlalayer.middleware.cache.budget.Claim;
import io.idlalayer.middleware.cache.budget.DramBudget;
import io.idlalayer.middleware.cache.budget.FastSplit;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.budget.SplitHistory;
import io.idlalayer.middleware.cache.budget.StartingSplit;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The DRAM of a learner, divided between samples, rows and tensors. Once a minute this class asks
 * {@link DramBudget} for a split and changes the uses to it. Uses that lose bytes are changed
 * first, so that the budget is never exceeded. After a restart, the first move is to the split from
 * before the restart. This split then stays for ten minutes, because all measurements begin anew.
 * If this move is refused, later restarts do not try the same split again. The operator's thread
 * calls it.
 *
 * <table>
 *   <caption>States</caption>
 *   <tr><th>state</th><th>ends</th></tr>
 *   <tr><td>no move</td><td>SHRINKING, when another split is decided</td></tr>
 *   <tr><td>SHRINKING</td><td>GROWING, when all bytes are given up; RETURNING, when a use
 *     refuses</td></tr>
 *   <tr><td>GROWING</td><td>no move, when uses have their bytes; RETURNING, when one
 *     refuses</td></tr>
 *   <tr><td>RETURNING</td><td>no move, when every use has its former bytes, as far as it can have
 *     them</td></tr>
 * </table>
 */
public final class FastMemory {
  /** Time between two decisions, in milliseconds. */
  static final long ROUND_MILLIS = 60_000;

  /** Time after a refused move before the next decision, in milliseconds. */
  static final long REFUSED_MILLIS = (long) (1_000 * DramBudget.HORIZON_SECONDS);

  /**
   * Time after a restart before the first decision, in milliseconds; a measurement takes this time.
   */
  static final long RESTORED_MILLIS = (long) (1_000 * DramBudget.HORIZON_SECONDS);

  private static final Logger LOG = LoggerFactory.getLogger(FastMemory.class);
  private static final double MILLIS_PER_SECOND = 1e3;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int BYTES_PER_MIB = 1 << 20;
  private static final String MIB = " MiB";
  private static final String KIB = " KiB";

  private final DramBudget budget;
  private final List<Claimant> claimants;
  private final LongSupplier nanoTime;
  private final StoredSplit stored;
  private FastSplit split;
  private SplitHistory history = SplitHistory.NONE;
  private @Nullable Move move;
  private long measuredMillis;

  /** Time in milliseconds of the last update of the history of moves. */
  private long historyMillis;

  private long decidesAtMillis;

  private enum Phase {
    SHRINKING,
    GROWING,
    RETURNING
  }

  /** A change of the split that is carried out. */
  private static final class Move {
    final FastSplit from;
    final FastSplit to;
    final String why;

    /** Whether the move is to the split from before a restart. */
    final boolean restores;

    Phase phase = Phase.SHRINKING;
    String refusal = "";

    /** Seconds that the changes of each use have taken so far on the learner's thread. */
    final Map<FastUse, Double> seconds = new EnumMap<>(FastUse.class);

    Move(FastSplit from, FastSplit to, String why, boolean restores) {
      this.from = from;
      this.to = to;
      this.why = why;
      this.restores = restores;
    }
  }

  /**
   * Creates the division and gives each use its first bytes: equal parts, but no use gets less than
   * the least bytes that it must have. Trainings begin with these bytes, whatever the split was
   * before a restart.
   *
   * @param dividedBytes bytes that are divided
   * @param claimants at least one, each of another use
   * @param stored the split before a restart; it receives the split after each move
   * @param nanoTime a monotonic clock
   * @param nowMillis the learner's time
   * @throws IllegalArgumentException if the least bytes of the uses together exceed the divided
   *     bytes
   */
  public FastMemory(
      long dividedBytes,
      List<Claimant> claimants,
      StoredSplit stored,
      LongSupplier nanoTime,
      long nowMillis) {
    budget = new DramBudget(dividedBytes);
    this.claimants = List.copyOf(claimants);
    this.nanoTime = nanoTime;
    this.stored = stored;
    Map<FastUse, Long> least = new EnumMap<>(FastUse.class);
    for (Claimant each : claimants) {
      least.put(each.use(), each.leastBytes());
    }
    split = StartingSplit.of(dividedBytes, least, FastSplit.NONE);
    measuredMillis = nowMillis;
    historyMillis = nowMillis;
    decidesAtMillis = nowMillis + ROUND_MILLIS;
    for (Claimant each : claimants) {
      var unused = each.resize(split.of(each.use()));
    }
    FastSplit before = StartingSplit.of(dividedBytes, least, stored.split());
    if (stored.wasRefused(before)) {
      decidesAtMillis = nowMillis + REFUSED_MILLIS;
    } else if (!before.equals(split)) {
      move = new Move(split, before, "as before the restart", true);
    }
  }

  /** Returns the bytes that are granted to each use. */
  public FastSplit split() {
    return split;
  }

  /**
   * Continues a move, or decides about the next move if it is time.
   *
   * @return a sentence about what has changed or was refused; null if nothing happened
   */
  public @Nullable String look(long nowMillis) {
    Move running = move;
    if (running == null) {
      if (nowMillis < decidesAtMillis) {
        return null;
      }
      running = decided(nowMillis);
      if (running == null) {
        return null;
      }
      move = running;
    }
    if (!carriedOn(running)) {
      return null;
    }
    move = null;
    return running.refusal.isEmpty() ? moved(running, nowMillis) : refused(running, nowMillis);
  }

  private @Nullable Move decided(long nowMillis) {
    double seconds = Math.max(1, nowMillis - measuredMillis) / MILLIS_PER_SECOND;
    measuredMillis = nowMillis;
    decidesAtMillis = nowMillis + ROUND_MILLIS;
    history = historyAt(nowMillis);
    List<Claim> claims = new ArrayList<>();
    for (Claimant each : claimants) {
      claims.add(each.claim(seconds, split.of(each.use())));
    }
    DramBudget.Decision decision = budget.decide(claims, split, history);
    if (LOG.isDebugEnabled()) {
      for (Claim each : claims) {
        long now = split.of(each.use());
        LOG.debug(
            "{} would save {} s in each second with {} bytes, now {} s with {}",
            each.use(),
            each.seconds(each.mostBytes()),
            each.mostBytes(),
            each.seconds(now),
            now);
      }
      LOG.debug("DRAM: {}", decision);
    }
    return decision.moves() ? new Move(split, decision.split(), decision.reason(), false) : null;
  }

  private SplitHistory historyAt(long nowMillis) {
    double seconds = Math.max(0, nowMillis - historyMillis) / MILLIS_PER_SECOND;
    historyMillis = nowMillis;
    return history.after(seconds);
  }

  /** Does the part of a move that can be done now; returns whether the move has ended. */
  private boolean carriedOn(Move running) {
    if (running.phase == Phase.SHRINKING) {
      if (!change(running, -1)) {
        return false;
      }
      running.phase = Phase.GROWING;
    }
    if (running.phase == Phase.GROWING) {
      if (!change(running, 1)) {
        return false;
      }
      if (running.refusal.isEmpty()) {
        return true;
      }
      running.phase = Phase.RETURNING;
    }
    boolean waits = false;
    for (Claimant each : claimants) {
      waits |= resize(running, each, running.from) == Change.WAITS;
    }
    return !waits;
  }

  private Change resize(Move running, Claimant claimant, FastSplit to) {
    long start = nanoTime.getAsLong();
    Change change = claimant.resize(to.of(claimant.use()));
    double seconds = (nanoTime.getAsLong() - start) / NANOS_PER_SECOND;
    running.seconds.merge(claimant.use(), seconds, Double::sum);
    return change;
  }

  /**
   * Changes the uses that lose bytes, or the uses that gain bytes; returns whether all these
   * changes are finished. Stops at the first refusal.
   */
  private boolean change(Move running, int direction) {
    for (Claimant each : claimants) {
      long more = running.to.of(each.use()) - running.from.of(each.use());
      if (Long.signum(more) == direction && running.refusal.isEmpty()) {
        Change change = resize(running, each, running.to);
        if (change == Change.WAITS) {
          return false;
        }
        if (change == Change.REFUSED) {
          running.refusal = each.use() + ": " + each.refusal();
        }
      }
    }
    return true;
  }

  private String moved(Move done, long nowMillis) {
    for (Claimant each : claimants) {
      done.seconds.merge(each.use(), each.changeSeconds(), Double::sum);
    }
    split = done.to;
    stored.put(split);
    if (done.restores) {
      decidesAtMillis = nowMillis + RESTORED_MILLIS;
    } else {
      // The duration of the move itself does not count as time after the move.
      history = historyAt(nowMillis).moved(done.from, done.to, done.seconds);
      decidesAtMillis = nowMillis + ROUND_MILLIS;
    }
    return String.format(
        Locale.ROOT, "DRAM is divided anew: %s; %s", changes(done.from, done.to), done.why);
  }

  private String refused(Move given, long nowMillis) {
    decidesAtMillis = nowMillis + REFUSED_MILLIS;
    if (given.restores) {
      stored.refused(given.to);
    }
    return String.format(
        Locale.ROOT,
        "DRAM stays divided as it was, %s, because another division (%s) was refused: %s",
        sizes(given.from),
        changes(given.from, given.to),
        given.refusal);
  }

  private String changes(FastSplit from, FastSplit to) {
    List<String> parts = new ArrayList<>();
    for (Claimant each : claimants) {
      String before = shown(from.of(each.use()));
      String after = shown(to.of(each.use()));
      boolean sameUnit = before.endsWith(MIB) == after.endsWith(MIB);
      String first = sameUnit ? before.substring(0, before.length() - MIB.length()) : before;
      parts.add("%s %s to %s".formatted(each.use(), first, after));
    }
    return String.join(", ", parts);
  }

  private String sizes(FastSplit of) {
    List<String> parts = new ArrayList<>();
    for (Claimant each : claimants) {
      parts.add("%s %s".formatted(each.use(), shown(of.of(each.use()))));
    }
    return String.join(", ", parts);
  }

  private static String shown(long bytes) {
    return bytes < BYTES_PER_MIB
        ? String.format(Locale.ROOT, "%,d%s", bytes >> 10, KIB)
        : String.format(Locale.ROOT, "%,d%s", bytes / BYTES_PER_MIB, MIB);
  }
}
