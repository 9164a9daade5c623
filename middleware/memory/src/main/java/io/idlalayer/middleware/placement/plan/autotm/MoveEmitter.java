package io.idlalayer.middleware.placement.plan.autotm;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Turns a schedule into the moves of a plan. Between two kernels, tensors leave first, then copies
 * to the slow device begin, then tensors enter, so that the fast device never holds more than the
 * schedule says.
 *
 * <p>When a plan begins to be followed, a lasting tensor may be on either device. So it also gets a
 * move before its first use, to the device on which it is in the steady state; from the second step
 * on that move does nothing.
 */
final class MoveEmitter {
  private static final Comparator<Move> ORDER =
      Comparator.comparingInt(
          move ->
              switch (move.kind()) {
                case EVICT -> 0;
                case WRITE_BACK -> 1;
                case FETCH -> 2;
                case FETCH_AHEAD -> 3;
              });

  private final FlowGraph flows;
  private final Schedule schedule;
  private final int steps;
  private final Map<Integer, CreationPlace> places = new HashMap<>();
  private final Map<Integer, List<Move>> before = new HashMap<>();
  private final Map<Integer, List<Move>> after = new HashMap<>();

  private final List<CopyOrder.Copy> in = new ArrayList<>();
  private final List<CopyOrder.Copy> out = new ArrayList<>();

  private MoveEmitter(FlowGraph flows, Schedule schedule) {
    this.flows = flows;
    this.schedule = schedule;
    steps = flows.steps();
  }

  /** Returns the plan of a schedule that has a path for each flow, without its time. */
  static PlacementPlan emit(FlowGraph flows, Schedule schedule) {
    return new MoveEmitter(flows, schedule).plan();
  }

  private PlacementPlan plan() {
    for (int flow = 0; flow < flows.flows().size(); flow++) {
      emit(flow, Objects.requireNonNull(schedule.path(flow), "a flow without a path"));
    }
    double[] nanos = schedule.kernelNanos();
    for (CopyOrder.Begun each : CopyOrder.of(nanos, in)) {
      add(before, each.kernel(), Kind.FETCH_AHEAD, tensor(each), Reason.PREFETCH);
    }
    for (CopyOrder.Begun each : CopyOrder.of(nanos, out)) {
      add(before, each.kernel(), Kind.WRITE_BACK, tensor(each), Reason.WRITE_AHEAD);
    }
    flows.unused().forEach(it -> add(before, 0, Kind.EVICT, it, Reason.OFFLOAD));
    before.values().forEach(moves -> moves.sort(ORDER));
    after.values().forEach(moves -> moves.sort(ORDER));
    return new PlacementPlan(places, before, after, 0, 0);
  }

  private int tensor(CopyOrder.Begun begun) {
    return flows.flows().get(begun.copy().flow()).tensor();
  }

  private void emit(int index, TensorPath path) {
    Flow flow = flows.flows().get(index);
    int tensor = flow.tensor();
    boolean fast = path.fast()[0];
    if (!flow.lasting()) {
      places.put(tensor, fast ? CreationPlace.FAST : CreationPlace.SLOW);
    } else if (fast) {
      add(before, flow.kernels()[0], Kind.FETCH, tensor, Reason.PREFETCH);
    } else if (path.leave()[flow.gaps() - 1] == TensorPath.NO) {
      add(before, 0, Kind.EVICT, tensor, Reason.OFFLOAD);
    }
    for (int gap = 0; gap < flow.gaps(); gap++) {
      if (path.leave()[gap] != TensorPath.NO) {
        int kernel = flow.kernels()[gap];
        int last = kernel + path.leave()[gap];
        if (schedule.copiesBeside(index, gap)) {
          int release = kernel + 1 - flow.sinceWrite(gap, steps);
          out.add(new CopyOrder.Copy(index, gap, release, last + 1, (double) flow.copyOutNanos()));
        }
        add(after, last % steps, Kind.EVICT, tensor, Reason.OFFLOAD);
      }
      int enter = path.enter()[gap];
      int use = flow.kernels()[flow.next(gap)];
      if (enter > 0) {
        in.add(new CopyOrder.Copy(index, gap, use - enter, use, (double) flow.copyInNanos()));
      } else if (enter == 0 && !(flow.lasting() && flow.next(gap) == 0)) {
        add(before, use, Kind.FETCH, tensor, Reason.PREFETCH);
      }
    }
  }

  private static void add(
      Map<Integer, List<Move>> moves, int kernel, Kind kind, int tensor, Reason reason) {
    moves.computeIfAbsent(kernel, index -> new ArrayList<>()).add(new Move(kind, tensor, reason));
  }
}
