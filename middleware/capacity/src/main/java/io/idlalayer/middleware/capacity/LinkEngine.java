package io.idlalayer.middleware.capacity;

import io.idlalayer.middleware.capacity.SystemSpec.Lane;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs tasks that depend on each other in virtual time. Tasks may send bytes over lanes. Flows that
 * share lanes share them by max-min fairness: no flow can get more without another one getting less
 * that has no more. Rates change only when a flow begins or ends. Equal tasks give equal times.
 */
final class LinkEngine {
  private final List<Lane> lanes;
  private final List<Task> tasks = new ArrayList<>();

  /**
   * Bytes that are sent over lanes.
   *
   * @param bytes at least 0
   * @param lanes indexes of the lanes, all of which the bytes use at the same time
   */
  public record Flow(double bytes, List<Integer> lanes) {
    public Flow {
      lanes = List.copyOf(lanes);
      if (!(bytes >= 0 && bytes < Double.POSITIVE_INFINITY) || lanes.isEmpty()) {
        throw new IllegalArgumentException(
            "a flow of %s bytes over %d lanes".formatted(bytes, lanes.size()));
      }
    }
  }

  /**
   * A task: it begins when others have ended, sends its flows beside each other, and then takes
   * some seconds more.
   *
   * @param after indexes of tasks that were added before
   */
  private record Task(double seconds, List<Flow> flows, List<Integer> after) {}

  /**
   * What happened.
   *
   * @param starts when each task began, in seconds
   * @param ends when each task ended, in seconds
   * @param laneBytes bytes that each lane carried
   */
  public record Outcome(double[] starts, double[] ends, double[] laneBytes) {
    /** Returns when the last task ended, in seconds. */
    public double seconds() {
      return Arrays.stream(ends).max().orElse(0);
    }

    /** Returns a number that is equal for equal courses of events. */
    public long digest() {
      long digest = 1;
      for (int task = 0; task < ends.length; task++) {
        digest = 31 * digest + Double.doubleToLongBits(starts[task]);
        digest = 31 * digest + Double.doubleToLongBits(ends[task]);
      }
      return digest;
    }
  }

  /** Creates an engine without tasks. */
  public LinkEngine(List<Lane> lanes) {
    this.lanes = List.copyOf(lanes);
  }

  /**
   * Adds a task and returns its index.
   *
   * @param seconds time after its flows have ended, at least 0
   * @param after indexes of tasks that end before it begins
   */
  public int add(double seconds, List<Flow> flows, List<Integer> after) {
    if (!(seconds >= 0 && seconds < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("a task of %s s".formatted(seconds));
    }
    if (after.stream().anyMatch(task -> task < 0 || task >= tasks.size())) {
      throw new IllegalArgumentException("a task after %s, of %d".formatted(after, tasks.size()));
    }
    if (flows.stream().flatMap(it -> it.lanes().stream()).anyMatch(it -> it >= lanes.size())) {
      throw new IllegalArgumentException("a flow over a lane beyond %d".formatted(lanes.size()));
    }
    tasks.add(new Task(seconds, List.copyOf(flows), List.copyOf(after)));
    return tasks.size() - 1;
  }

  /** Runs all tasks. */
  public Outcome run() {
    return new Run().outcome();
  }

  /**
   * Returns the rate of each flow, in bytes per second.
   *
   * @param lanes lanes of each flow
   */
  static double[] fairRates(List<Lane> capacity, List<List<Integer>> lanes) {
    double[] rates = new double[lanes.size()];
    Arrays.fill(rates, -1);
    double[] left = capacity.stream().mapToDouble(Lane::bytesPerSecond).toArray();
    int open = lanes.size();
    while (open > 0) {
      int[] users = new int[left.length];
      for (int flow = 0; flow < rates.length; flow++) {
        if (rates[flow] < 0) {
          lanes.get(flow).forEach(lane -> users[lane]++);
        }
      }
      int tightest = -1;
      for (int lane = 0; lane < left.length; lane++) {
        if (users[lane] > 0
            && (tightest < 0 || left[lane] / users[lane] < left[tightest] / users[tightest])) {
          tightest = lane;
        }
      }
      double rate = Math.max(0, left[tightest] / users[tightest]);
      for (int flow = 0; flow < rates.length; flow++) {
        if (rates[flow] < 0 && lanes.get(flow).contains(tightest)) {
          rates[flow] = rate;
          open--;
          for (int lane : lanes.get(flow)) {
            left[lane] -= rate;
          }
        }
      }
    }
    return rates;
  }

  /** A flow that is under way. */
  private static final class Sending {
    final int task;
    final Flow flow;
    double left;

    Sending(int task, Flow flow) {
      this.task = task;
      this.flow = flow;
      left = flow.bytes();
    }
  }

  /** One run of all tasks. */
  private final class Run {
    private final double[] starts = new double[tasks.size()];
    private final double[] ends = new double[tasks.size()];
    private final int[] waitsFor = new int[tasks.size()];
    private final int[] flowsLeft = new int[tasks.size()];
    private final List<List<Integer>> next = new ArrayList<>();
    private final List<Sending> sending = new ArrayList<>();

    /** Tasks that have sent everything, in the order in which they began to wait. */
    private final List<Integer> waiting = new ArrayList<>();

    private final double[] laneBytes = new double[lanes.size()];
    private double now;

    Outcome outcome() {
      for (int task = 0; task < tasks.size(); task++) {
        next.add(new ArrayList<>());
        for (int before : tasks.get(task).after()) {
          next.get(before).add(task);
        }
        waitsFor[task] = tasks.get(task).after().size();
      }
      for (int task = 0; task < tasks.size(); task++) {
        if (tasks.get(task).after().isEmpty()) {
          begin(task);
        }
      }
      while (!sending.isEmpty() || !waiting.isEmpty()) {
        advance();
      }
      return new Outcome(starts, ends, laneBytes);
    }

    private void begin(int task) {
      starts[task] = now;
      for (Flow flow : tasks.get(task).flows()) {
        if (flow.bytes() > 0) {
          sending.add(new Sending(task, flow));
          flowsLeft[task]++;
        }
      }
      if (flowsLeft[task] == 0) {
        sent(task);
      }
    }

    private void sent(int task) {
      ends[task] = now + tasks.get(task).seconds();
      waiting.add(task);
    }

    /** Goes to the next time at which a flow or a task ends. */
    private void advance() {
      double[] rates = fairRates(lanes, sending.stream().map(it -> it.flow.lanes()).toList());
      double then = Double.POSITIVE_INFINITY;
      for (int task : waiting) {
        then = Math.min(then, ends[task]);
      }
      double[] flowEnds = new double[rates.length];
      for (int i = 0; i < rates.length; i++) {
        flowEnds[i] = now + sending.get(i).left / rates[i];
        then = Math.min(then, flowEnds[i]);
      }
      send(rates, flowEnds, then);
      now = then;
      for (Sending each : List.copyOf(sending)) {
        if (each.left == 0) {
          sending.remove(each);
          if (--flowsLeft[each.task] == 0) {
            sent(each.task);
          }
        }
      }
      for (int task : List.copyOf(waiting)) {
        if (ends[task] <= now) {
          waiting.remove(Integer.valueOf(task));
          end(task);
        }
      }
    }

    private void send(double[] rates, double[] flowEnds, double until) {
      for (int i = 0; i < rates.length; i++) {
        Sending each = sending.get(i);
        // What ends now has nothing left, whatever rounding says.
        double bytes =
            flowEnds[i] <= until ? each.left : Math.min(each.left, rates[i] * (until - now));
        each.left -= bytes;
        for (int lane : each.flow.lanes()) {
          laneBytes[lane] += bytes;
        }
      }
    }

    private void end(int task) {
      for (int later : next.get(task)) {
        if (--waitsFor[later] == 0) {
          begin(later);
        }
      }
    }
  }
}
