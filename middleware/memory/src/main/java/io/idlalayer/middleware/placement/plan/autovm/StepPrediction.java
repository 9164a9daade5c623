package io.idlalayer.middleware.placement.plan.autovm;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.api.TransferTimes;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Predicts how long a step takes under a plan if the fast device has space for all that the plan
 * brings there: copies in the background follow one another in each direction, beside the kernels,
 * and a kernel waits for its arguments. What the plan leaves open is on the fast device.
 */
public final class StepPrediction {
  /** Number of steps until the steady state. */
  private static final int STEPS = 3;

  private final TaskGraph graph;
  private final PlacementPlan plan;
  private final TransferTimes times;
  private final boolean[] fast;

  /** Whether the slow device has the bytes of a tensor. */
  private final boolean[] clean;

  private final Map<Integer, Long> arriving = new HashMap<>();
  private final Map<Integer, Long> leaving = new HashMap<>();
  private long now;
  private long inFree;
  private long outFree;

  private StepPrediction(TaskGraph graph, PlanDevices devices, PlacementPlan plan) {
    this.graph = graph;
    this.plan = plan;
    times = devices.times();
    fast = new boolean[graph.tensors().size()];
    clean = new boolean[fast.length];
    for (int tensor = 0; tensor < fast.length; tensor++) {
      fast[tensor] = true;
    }
  }

  /** Returns the predicted nanoseconds of a step in the steady state. */
  public static long nanos(TaskGraph graph, PlanDevices devices, PlacementPlan plan) {
    StepPrediction prediction = new StepPrediction(graph, devices, plan);
    long last = 0;
    for (int step = 0; step < STEPS; step++) {
      long start = prediction.now;
      prediction.step();
      last = prediction.now - start;
    }
    return last;
  }

  private void step() {
    for (int k = 0; k < graph.kernels().size(); k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      for (int tensor : kernel.lifetimes().creates()) {
        fast[tensor] = plan.places().get(tensor) != CreationPlace.SLOW;
        clean[tensor] = false;
        arriving.remove(tensor);
        leaving.remove(tensor);
      }
      settle(kernel);
      move(plan.before(k));
      settle(kernel);
      run(kernel);
      move(plan.after(k));
    }
  }

  /** Waits for copies of arguments to the fast device, and from it for those that are written. */
  private void settle(TaskGraph.Kernel kernel) {
    for (int tensor : kernel.arguments()) {
      arrive(tensor);
      if (kernel.writes().contains(tensor)) {
        leave(tensor);
      }
    }
  }

  private void arrive(int tensor) {
    Long at = arriving.remove(tensor);
    now = at == null ? now : Math.max(now, at);
  }

  private void leave(int tensor) {
    Long at = leaving.remove(tensor);
    now = at == null ? now : Math.max(now, at);
  }

  private void run(TaskGraph.Kernel kernel) {
    long in = 0;
    long out = 0;
    for (int tensor : kernel.arguments()) {
      long bytes = fast[tensor] ? 0 : graph.tensors().get(tensor).bytes();
      in += kernel.reads().contains(tensor) ? bytes : 0;
      out += kernel.writes().contains(tensor) ? bytes : 0;
    }
    now += Math.max(1, kernel.fastNanos());
    now += Math.round(times.inPlace(Math.max(1, kernel.fastNanos()), in, out));
    for (int tensor : kernel.writes()) {
      clean[tensor] = !fast[tensor];
    }
  }

  private void move(List<Move> moves) {
    for (Move move : moves) {
      int tensor = move.tensor();
      long bytes = graph.tensors().get(tensor).bytes();
      switch (move.kind()) {
        case FETCH_AHEAD -> fetch(tensor, bytes);
        case FETCH -> {
          fetch(tensor, bytes);
          arrive(tensor);
        }
        case WRITE_BACK -> writeBack(tensor, bytes);
        case EVICT -> {
          arrive(tensor);
          leave(tensor);
          if (fast[tensor] && !clean[tensor]) {
            writeBack(tensor, bytes);
            leave(tensor);
          }
          fast[tensor] = false;
        }
      }
    }
  }

  /** Begins a copy to the fast device. A tensor that is there may be leaving; it stays readable. */
  private void fetch(int tensor, long bytes) {
    if (!fast[tensor]) {
      inFree = Math.max(now, inFree) + times.copyIn(bytes);
      arriving.put(tensor, inFree);
      fast[tensor] = true;
      clean[tensor] = true;
    }
  }

  private void writeBack(int tensor, long bytes) {
    if (fast[tensor] && !clean[tensor] && !arriving.containsKey(tensor)) {
      outFree = Math.max(now, outFree) + times.copyOut(bytes);
      leaving.put(tensor, outFree);
      clean[tensor] = true;
    }
  }
}
