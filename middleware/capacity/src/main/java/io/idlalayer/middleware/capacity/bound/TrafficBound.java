package io.idlalayer.middleware.capacity.bound;

import io.idlalayer.middleware.memory.clock.TierModel;
import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/**
 * A lower bound, for every policy, of the bytes that a step moves through the slow device's
 * interface, and of its time. Pure.
 *
 * <p><b>What is bounded.</b> Traffic is the bytes that are copied from slow to fast, copied from
 * fast to slow, read by kernels on the slow device and written by kernels there. The bound holds
 * for the mean of a step over a run without end; a policy that comes back to the same placement
 * after some steps keeps to it in those steps. In {@code n} steps from any placement to any other,
 * at least {@code n} times the bound less twice the budget is moved, since that much would close
 * the circle; less the bytes of lasting tensors, if these are fewer.
 *
 * <p><b>Proof.</b> Follow each byte by itself; that allows more than policies may do. At a kernel
 * that uses it, a byte is fast or is used in place, and between two uses it either stays fast or is
 * at some instant only slow. If it was only slow before a kernel that needs what it holds, it is
 * read from slow after that instant and not after that kernel, by a copy or in place: these
 * readings are different for different gaps between uses. A divisible kernel that takes its
 * arguments through the fast device in pieces copies each byte in, and out if it changed: as many
 * bytes as in place. If it was written before, and not to the slow device, it is copied out once
 * for each writing before it is only slow for the first time. So every run of a policy is a path of
 * each byte over three states (fast, fast with an equal slow copy, only slow), whose cost is at
 * most the traffic of the run. Of all bytes at once it is known that at every moment at most {@code
 * B} are fast. Let {@code p(k) >= 0} be any price of a fast byte at moment {@code k}. The traffic
 * of a step is then, by weak duality, at least
 *
 * <pre>  L(p) = sum over bytes of min over paths (cost + prices paid) - B * sum of p(k),</pre>
 *
 * because the bytes of a real run pay at most {@code B * p(k)} at each moment. The minima are
 * shortest paths, and for lasting tensors cycles of least mean, of at most three steps. So each
 * price gives a valid bound, whether or not it is the best; the best one gives the optimum of the
 * linear program in which tensors may be cut (its integrality gap is not closed). Prices are found
 * by subgradient ascent: {@code L} is concave, and the bytes that are fast at moment {@code k}
 * above {@code B} are its subgradient.
 *
 * <p>Moments are the runs of kernels if all arguments of a kernel stay where they are while it runs
 * ({@link Granularity#OBJECTS}). Under a cache of lines they need not, and only the gaps between
 * kernels are moments.
 */
public final class TrafficBound {
  /** The units that a policy moves. */
  public enum Granularity {
    /** Objects; a kernel's arguments stay where they are. */
    OBJECTS,
    /** Lines, which may come and go while a kernel runs. */
    LINES
  }

  private static final int PATIENCE = 40;
  private static final int ITERATIONS = 20_000;
  private static final int NANOS_ITERATIONS = 600;
  private static final int SINGLE_PRICES = 8;
  private static final double SMALLEST_STEP = 1e-5;
  private static final double OLD_DIRECTION = 0.4;
  private static final double ROUNDING = 1e-9;
  private static final double NANOS_PER_SECOND = 1e9;
  private static final int SHARES = 4;

  /** A price of a fast byte that is above any cost. */
  private static final double UNAFFORDABLE = 1e12;

  private TrafficBound() {}

  /**
   * Least bytes through the slow device's interface in a step.
   *
   * @param fastBytes budget of the fast device, not negative
   */
  public static long bytes(TaskGraph graph, long fastBytes, Granularity granularity) {
    checkBudget(fastBytes);
    double gaps = bound(graph, fastBytes, TransferCosts.BYTES, new Effort(true, ITERATIONS));
    if (granularity == Granularity.LINES) {
      return (long) gaps;
    }
    // Gaps are moments for objects too; which of the two climbs higher is not known beforehand.
    return (long)
        Math.max(gaps, bound(graph, fastBytes, TransferCosts.BYTES, new Effort(false, ITERATIONS)));
  }

  /**
   * Least nanoseconds of a step under the tier model, for policies that move objects: kernels one
   * after another, each as the model has it; copies beside them, one after another in each
   * direction, and never faster than the slow device. Latencies are left out.
   *
   * <p>A step takes at least what its kernels take, what its copies in and what its copies out
   * take, and so at least any weighted mean {@code a * kernels + b * in + c * out} of these. A
   * kernel takes at least its fast time, and at least its reading in place plus its writing in
   * place. The first bounds the step by the sum of all fast times; the second turns the weighted
   * mean into a cost for each byte, which is bounded as traffic is. The best of some weights is
   * returned.
   *
   * @param fastBytes budget of the fast device, not negative
   */
  public static long nanos(TaskGraph graph, long fastBytes, DeviceSpeed slow, TierModel model) {
    checkBudget(fastBytes);
    double read = NANOS_PER_SECOND / slow.readBytesPerSecond();
    double write = NANOS_PER_SECOND / slow.writeBytesPerSecond();
    double best = graph.fastNanos();
    for (int in = 0; in <= SHARES; in++) {
      for (int out = 0; in + out <= SHARES; out++) {
        double kernels = (double) (SHARES - in - out) / SHARES;
        TransferCosts costs =
            new TransferCosts(
                read * in / SHARES,
                write * out / SHARES,
                read * kernels,
                write / model.writeEfficiency() * kernels);
        best = Math.max(best, bound(graph, fastBytes, costs, new Effort(false, NANOS_ITERATIONS)));
      }
    }
    return (long) best;
  }

  private static void checkBudget(long fastBytes) {
    if (fastBytes < 0) {
      throw new IllegalArgumentException("a budget of " + fastBytes + " bytes");
    }
  }

  private record Effort(boolean gaps, int iterations) {}

  private static double bound(TaskGraph graph, long budget, TransferCosts costs, Effort effort) {
    List<TensorWalk> walks =
        IntStream.range(0, graph.tensors().size())
            .mapToObj(tensor -> new TensorWalk(graph, tensor, costs))
            .filter(TensorWalk::used)
            .toList();
    if (walks.isEmpty() || costs.most() == 0) {
      return 0;
    }
    Occupancy occupancy = new Occupancy(graph.kernels().size(), effort.gaps());
    return new Ascent(walks, occupancy, budget, costs.most(), graph.kernels().size())
        .run(effort.iterations());
  }

  /** Climbs to the best prices. */
  private static final class Ascent {
    private final List<TensorWalk> walks;
    private final Occupancy occupancy;
    private final double budget;
    private final double highest;
    private final double[] prices;
    private final double[] bestPrices;
    private final double[] excess;
    private final double[] direction;

    Ascent(
        List<TensorWalk> walks, Occupancy occupancy, double budget, double highest, int moments) {
      this.highest = highest;
      this.walks = walks;
      this.occupancy = occupancy;
      this.budget = budget;
      prices = new double[moments];
      bestPrices = prices.clone();
      excess = prices.clone();
      direction = prices.clone();
    }

    /** L at the current prices, a little less for rounding. */
    private double value() {
      occupancy.reset(prices);
      double gain = 0;
      for (TensorWalk walk : walks) {
        gain += walk.cheapest(occupancy);
      }
      double rent = 0;
      for (double price : prices) {
        rent += price * budget;
      }
      occupancy.excess(budget, excess);
      return gain - rent - ROUNDING * (gain + rent);
    }

    double run(int iterations) {
      double above = most();
      double best = start();
      double scale = 1;
      int stuck = 0;
      double now = best;
      for (int i = 0; i < iterations && scale > SMALLEST_STEP; i++) {
        double norm = turn(OLD_DIRECTION);
        if (norm == 0) {
          norm = turn(0);
        }
        if (norm == 0) {
          // No price wants to change: the best there are.
          return best;
        }
        double step = scale * (above - now) / norm;
        for (int k = 0; k < prices.length; k++) {
          prices[k] = Math.max(0, prices[k] + step * direction[k]);
        }
        now = value();
        if (now > best) {
          stuck = now > best * (1 + 1e-4) ? 0 : stuck + 1;
          best = now;
          System.arraycopy(prices, 0, bestPrices, 0, prices.length);
        } else {
          stuck++;
        }
        if (stuck > PATIENCE + prices.length) {
          stuck = 0;
          scale /= 2;
          System.arraycopy(bestPrices, 0, prices, 0, prices.length);
          Arrays.fill(direction, 0);
          now = value();
        }
      }
      return best;
    }

    /**
     * Begins where the best single moment has a price: at the peak, what is above the budget must
     * leave and come back.
     */
    private double start() {
      double best = Math.max(0, value());
      int peak = 0;
      for (int k = 1; k < excess.length; k++) {
        peak = excess[k] > excess[peak] ? k : peak;
      }
      for (double price = highest / SINGLE_PRICES;
          price <= highest;
          price += highest / SINGLE_PRICES) {
        Arrays.fill(prices, 0);
        prices[peak] = price;
        double now = value();
        if (now > best) {
          best = now;
          System.arraycopy(prices, 0, bestPrices, 0, prices.length);
        }
      }
      System.arraycopy(bestPrices, 0, prices, 0, prices.length);
      return Math.max(best, value());
    }

    /** A new direction, with a share of the old one; returns its squared length. */
    private double turn(double share) {
      double norm = 0;
      for (int k = 0; k < prices.length; k++) {
        double up = prices[k] == 0 && excess[k] < 0 ? 0 : excess[k];
        direction[k] = up + share * direction[k];
        if (prices[k] == 0 && direction[k] < 0) {
          direction[k] = 0;
        }
        norm += direction[k] * direction[k];
      }
      return norm;
    }

    /** More than any bound: the cost with everything on the slow device. */
    private double most() {
      double[] former = prices.clone();
      Arrays.fill(prices, UNAFFORDABLE);
      occupancy.reset(prices);
      double most = 0;
      for (TensorWalk walk : walks) {
        most += walk.cheapest(occupancy);
      }
      System.arraycopy(former, 0, prices, 0, prices.length);
      value();
      return most;
    }
  }
}
