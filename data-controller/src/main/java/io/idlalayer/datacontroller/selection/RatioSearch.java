package io.idlalayer.datacontroller.selection;

import io.idlalayer.datacontroller.settings.DataSettings.Ratios;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import java.util.Arrays;

/**
 * Searches for the best shares beta, gamma and delta of Mature, Preserve and Discard samples in the
 * replay (greedy historical search; specs, iDlaLayer 1.2 point 7): a table over a grid of shares
 * has, for each combination of shares, the discounted mean of the quality gained per second of
 * training. Each update uses the best known shares among the current cell and its neighbours; every
 * fifth update tries the neighbour that was tried least often. If two cells are equal, the cell
 * with the smaller replay is used.
 */
final class RatioSearch {
  private static final double[] SHARES = {0, 0.25, 0.5, 0.75, 1};
  private static final double[] DISCARD_SHARES = {0, 0.05, 0.1};
  private static final int CELLS = SHARES.length * SHARES.length * DISCARD_SHARES.length;
  private static final int EXPLORE_EVERY = 5;
  private static final double DISCOUNT = 0.9;
  private static final StateFormat FORMAT = StateFormat.first("search for replay shares");

  private final double[] sums = new double[CELLS];
  private final double[] weights = new double[CELLS];
  private final int[] tries = new int[CELLS];
  private int current;
  private int best;
  private int updates;

  RatioSearch(Ratios start) {
    best =
        cell(
            nearest(SHARES, start.mature()),
            nearest(SHARES, start.preserve()),
            nearest(DISCARD_SHARES, start.discard()));
    current = best;
  }

  private static int nearest(double[] grid, double value) {
    int nearest = 0;
    for (int i = 1; i < grid.length; i++) {
      if (Math.abs(grid[i] - value) < Math.abs(grid[nearest] - value)) {
        nearest = i;
      }
    }
    return nearest;
  }

  private static int cell(int mature, int preserve, int discard) {
    return (mature * SHARES.length + preserve) * DISCARD_SHARES.length + discard;
  }

  private static int discard(int cell) {
    return cell % DISCARD_SHARES.length;
  }

  private static int preserve(int cell) {
    return cell / DISCARD_SHARES.length % SHARES.length;
  }

  private static int mature(int cell) {
    return cell / DISCARD_SHARES.length / SHARES.length;
  }

  /** Returns the shares for the next update. */
  Ratios current() {
    return new Ratios(
        SHARES[mature(current)], SHARES[preserve(current)], DISCARD_SHARES[discard(current)]);
  }

  /**
   * Records the reward of the current shares, quality gained per second of training, and chooses
   * the next shares.
   */
  void rewarded(double reward) {
    for (int cell = 0; cell < CELLS; cell++) {
      sums[cell] *= DISCOUNT;
      weights[cell] *= DISCOUNT;
    }
    sums[current] += reward;
    weights[current] += 1;
    tries[current]++;
    updates++;
    best = best();
    current = updates % EXPLORE_EVERY == 0 ? leastTried() : best;
  }

  private double mean(int cell) {
    return weights[cell] == 0 ? Double.NEGATIVE_INFINITY : sums[cell] / weights[cell];
  }

  /** Returns the sum of a cell's shares, which decides between cells that are otherwise equal. */
  private static double size(int cell) {
    return SHARES[mature(cell)] + SHARES[preserve(cell)] + DISCARD_SHARES[discard(cell)];
  }

  private int best() {
    int found = best;
    for (int cell : neighbours(best)) {
      int byMean = Double.compare(mean(cell), mean(found));
      if (byMean > 0 || (byMean == 0 && size(cell) < size(found))) {
        found = cell;
      }
    }
    return mean(current) > mean(found) ? current : found;
  }

  private int leastTried() {
    int found = -1;
    for (int cell : neighbours(best)) {
      if (found < 0
          || tries[cell] < tries[found]
          || (tries[cell] == tries[found] && size(cell) < size(found))) {
        found = cell;
      }
    }
    return found;
  }

  private static int[] neighbours(int cell) {
    int[] found = new int[6];
    int count = 0;
    for (int step = -1; step <= 1; step += 2) {
      int mature = mature(cell) + step;
      if (mature >= 0 && mature < SHARES.length) {
        found[count++] = cell(mature, preserve(cell), discard(cell));
      }
      int preserve = preserve(cell) + step;
      if (preserve >= 0 && preserve < SHARES.length) {
        found[count++] = cell(mature(cell), preserve, discard(cell));
      }
      int discard = discard(cell) + step;
      if (discard >= 0 && discard < DISCARD_SHARES.length) {
        found[count++] = cell(mature(cell), preserve(cell), discard);
      }
    }
    return Arrays.copyOf(found, count);
  }

  byte[] snapshot() {
    return FORMAT
        .writer()
        .putInt(1, current)
        .putInt(2, best)
        .putInt(3, updates)
        .putDoubles(4, sums)
        .putDoubles(5, weights)
        .putInts(6, tries)
        .bytes();
  }

  void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    int[] triesRead = in.getInts(6);
    if (triesRead.length != CELLS) {
      throw in.refused(
          "field 6 has tries of %d cells, not of %d".formatted(triesRead.length, CELLS));
    }
    current = in.getInt(1);
    best = in.getInt(2);
    updates = in.getInt(3);
    System.arraycopy(in.getDoubles(4, CELLS), 0, sums, 0, CELLS);
    System.arraycopy(in.getDoubles(5, CELLS), 0, weights, 0, CELLS);
    System.arraycopy(triesRead, 0, tries, 0, CELLS);
  }
}
