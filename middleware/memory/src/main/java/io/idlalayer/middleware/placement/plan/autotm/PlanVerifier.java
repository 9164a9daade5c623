package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Computes the time of a plan from its moves alone, without the numbers that the planner has
 * computed. As under a virtual clock, kernels run one after another, copies of each direction
 * follow one another, and background copies run beside kernels. Tensors that the plan does not
 * mention are on the fast device.
 */
final class PlanVerifier {
  /** The last of these steps is in the steady state. */
  private static final int STEPS = 3;

  private final TaskGraph graph;
  private final PlanDevices devices;
  private final PlacementPlan plan;
  private final boolean[] planned;
  private final boolean[] exists;
  private final boolean[] fast;
  private final boolean[] clean;

  /** End of the copy of each tensor that is under way; 0 if none is. */
  private final long[] copied;

  private final boolean[] copiedIn;
  private final List<String> problems = new ArrayList<>();
  private long now;
  private long inFree;
  private long outFree;
  private long occupied;
  private long highWater;
  private long bytesIn;
  private long bytesOut;

  /**
   * What a plan does in a step of the steady state.
   *
   * @param nanos duration
   * @param highWaterBytes most bytes of fast memory, in all steps
   * @param bytesIn copied to the fast device
   * @param bytesOut copied to the slow device
   * @param problems reasons why the plan cannot be carried out; empty if it can
   */
  record Verdict(
      long nanos, long highWaterBytes, long bytesIn, long bytesOut, List<String> problems) {
    boolean sound() {
      return problems.isEmpty();
    }
  }

  private PlanVerifier(TaskGraph graph, PlanDevices devices, PlacementPlan plan) {
    this.graph = graph;
    this.devices = devices;
    this.plan = plan;
    int tensors = graph.tensors().size();
    planned = new boolean[tensors];
    exists = new boolean[tensors];
    fast = new boolean[tensors];
    clean = new boolean[tensors];
    copied = new long[tensors];
    copiedIn = new boolean[tensors];
  }

  /** Returns what a plan does or, if it cannot be carried out, the reason. */
  static Verdict verify(TaskGraph graph, PlanDevices devices, PlacementPlan plan) {
    return new PlanVerifier(graph, devices, plan).run();
  }

  private Verdict run() {
    plan.before().values().forEach(this::note);
    plan.after().values().forEach(this::note);
    Arrays.fill(exists, true);
    for (TaskGraph.Kernel kernel : graph.kernels()) {
      kernel.lifetimes().creates().forEach(tensor -> exists[tensor] = false);
    }
    for (int tensor = 0; tensor < exists.length; tensor++) {
      if (exists[tensor] && !planned[tensor]) {
        occupy(tensor);
      }
    }
    long start = 0;
    for (int step = 0; step < STEPS && problems.isEmpty(); step++) {
      start = now;
      bytesIn = 0;
      bytesOut = 0;
      for (int k = 0; k < graph.kernels().size(); k++) {
        run(k);
      }
    }
    return new Verdict(now - start, highWater, bytesIn, bytesOut, List.copyOf(problems));
  }

  private void note(List<Move> moves) {
    for (Move move : moves) {
      if (move.tensor() < 0 || move.tensor() >= planned.length) {
        problems.add("tensor %d of a move does not exist".formatted(move.tensor()));
      } else {
        planned[move.tensor()] = true;
      }
    }
  }

  private void run(int k) {
    TaskGraph.Kernel kernel = graph.kernels().get(k);
    // The engine waits for these before it carries out the moves, and again after them.
    settle(kernel);
    plan.before(k).forEach(move -> move(move, k));
    for (int tensor : kernel.lifetimes().creates()) {
      exists[tensor] = true;
      clean[tensor] = false;
      if (plan.places().get(tensor) != CreationPlace.SLOW) {
        occupy(tensor);
      }
    }
    settle(kernel);
    List<Integer> slow = new ArrayList<>();
    for (int tensor : kernel.arguments()) {
      if (!fast[tensor]) {
        slow.add(tensor);
      }
    }
    if (occupied > devices.fastBytes()) {
      problems.add(
          "kernel %d (%s) runs with %,d bytes on the fast device, which has %,d"
              .formatted(k, kernel.name(), occupied, devices.fastBytes()));
    }
    run(kernel, slow);
    for (int tensor : kernel.writes()) {
      clean[tensor] = false;
    }
    plan.after(k).forEach(move -> move(move, k));
    for (int tensor : kernel.lifetimes().retires()) {
      await(tensor);
      vacate(tensor);
      exists[tensor] = false;
    }
  }

  /** Waits for the copies that a kernel cannot run beside. */
  private void settle(TaskGraph.Kernel kernel) {
    for (int tensor : kernel.arguments()) {
      if (copiedIn[tensor] || kernel.writes().contains(tensor)) {
        await(tensor);
      }
    }
  }

  private void run(TaskGraph.Kernel kernel, List<Integer> slow) {
    long buffers = devices.fastBytes() / Action.Stream.BUFFER_SHARE;
    if (kernel.divisible() && !slow.isEmpty() && occupied + buffers <= devices.fastBytes()) {
      List<KernelCost> ways = KernelCost.of(graph, kernel, slow, devices.times(), buffers);
      stream(ways.get(ways.size() - 1), slow.size());
    } else {
      now += KernelCost.nanos(graph, kernel, slow, devices.times());
    }
  }

  /** Runs a kernel in pieces, whose copies take turns with the others in each direction. */
  private void stream(KernelCost cost, int slow) {
    BitSet all = new BitSet();
    all.set(0, slow);
    long in = Math.round(cost.copyingIn(all));
    long out = Math.round(cost.copyingOut(all));
    long end = now + Math.round(cost.wholeNanos(all));
    if (cost.pieces() > 0 && in > 0) {
      inFree = Math.max(now, inFree) + in;
      end = Math.max(end, inFree);
    }
    if (cost.pieces() > 0 && out > 0) {
      outFree = Math.max(now + out / cost.pieces(), outFree) + out;
      end = Math.max(end, outFree);
    }
    now = end;
  }

  private void move(Move move, int k) {
    int tensor = move.tensor();
    if (!exists[tensor]) {
      problems.add(
          "kernel %d: tensor %s is moved (%s) while it does not exist"
              .formatted(k, graph.tensors().get(tensor).name(), move.kind()));
      return;
    }
    long bytes = graph.tensors().get(tensor).bytes();
    switch (move.kind()) {
      case FETCH, FETCH_AHEAD -> {
        if (fast[tensor]) {
          // A copy to the slow device goes on beside kernels that read the tensor.
          if (copiedIn[tensor] && move.kind() == PlacementPlan.Kind.FETCH) {
            await(tensor);
          }
          return;
        }
        occupy(tensor);
        clean[tensor] = true;
        bytesIn += bytes;
        inFree = Math.max(now, inFree) + devices.times().copyIn(bytes);
        if (move.kind() == PlacementPlan.Kind.FETCH) {
          now = inFree;
        } else {
          copied[tensor] = inFree;
          copiedIn[tensor] = true;
        }
      }
      case WRITE_BACK -> {
        if (copied[tensor] <= now && fast[tensor] && !clean[tensor]) {
          clean[tensor] = true;
          bytesOut += bytes;
          outFree = Math.max(now, outFree) + devices.times().copyOut(bytes);
          copied[tensor] = outFree;
          copiedIn[tensor] = false;
        }
      }
      case EVICT -> {
        await(tensor);
        if (fast[tensor] && !clean[tensor]) {
          bytesOut += bytes;
          outFree = Math.max(now, outFree) + devices.times().copyOut(bytes);
          now = outFree;
        }
        vacate(tensor);
      }
    }
  }

  private void await(int tensor) {
    now = Math.max(now, copied[tensor]);
    copied[tensor] = 0;
    copiedIn[tensor] = false;
  }

  private void occupy(int tensor) {
    long bytes = devices.alignedBytes(graph.tensors().get(tensor).bytes());
    fast[tensor] = true;
    occupied += bytes;
    highWater = Math.max(highWater, occupied);
  }

  private void vacate(int tensor) {
    if (fast[tensor]) {
      fast[tensor] = false;
      occupied -= devices.alignedBytes(graph.tensors().get(tensor).bytes());
    }
  }
}
