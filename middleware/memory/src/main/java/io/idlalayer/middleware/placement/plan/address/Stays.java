package io.idlalayer.middleware.placement.plan.address;

import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import io.idlalayer.middleware.placement.plan.PlanDevices;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds when the tensors of a step, and the buffers of its kernels, are on the fast device if a
 * plan is carried out.
 */
final class Stays {
  /** After the first of these rounds a tensor is where it is in the steady state. */
  private static final int ROUNDS = 3;

  /** Moves before a kernel that take a tensor away come before those that bring it. */
  private static final Comparator<Event> ORDER =
      Comparator.comparingInt(Event::kernel).thenComparing(Event::what);

  /** Ways in which a tensor comes or leaves, in the order in which they happen. */
  private enum What {
    LEAVES_BEFORE,
    COMES,
    LEAVES_AFTER
  }

  private record Event(int kernel, What what) {}

  private final TaskGraph graph;
  private final PlanDevices devices;
  private final List<List<Event>> events = new ArrayList<>();
  private final List<Stay> stays = new ArrayList<>();

  private Stays(TaskGraph graph, PlanDevices devices) {
    this.graph = graph;
    this.devices = devices;
    graph.tensors().forEach(tensor -> events.add(new ArrayList<>()));
  }

  /** Returns all stays in the steady state; a tensor that no move names is always there. */
  static List<Stay> of(TaskGraph graph, PlanDevices devices, PlacementPlan plan) {
    Stays all = new Stays(graph, devices);
    all.note(plan.before(), What.LEAVES_BEFORE);
    all.note(plan.after(), What.LEAVES_AFTER);
    for (int k = 0; k < graph.kernels().size(); k++) {
      TaskGraph.Lifetimes lifetimes = graph.kernels().get(k).lifetimes();
      for (int tensor : lifetimes.creates()) {
        if (plan.places().get(tensor) != CreationPlace.SLOW) {
          all.events.get(tensor).add(new Event(k, What.COMES));
        }
      }
      for (int tensor : lifetimes.retires()) {
        all.events.get(tensor).add(new Event(k, What.LEAVES_AFTER));
      }
    }
    for (int tensor = 0; tensor < all.events.size(); tensor++) {
      all.follow(tensor);
    }
    all.addBuffers();
    return all.stays;
  }

  /**
   * Adds the buffers of kernels whose slow arguments pass through them: those for whose buffers the
   * device has bytes left.
   */
  private void addBuffers() {
    List<Stay> tensors = List.copyOf(stays);
    int kernels = graph.kernels().size();
    for (int k = 0; k < kernels; k++) {
      TaskGraph.Kernel kernel = graph.kernels().get(k);
      if (!kernel.divisible()) {
        continue;
      }
      Set<Integer> fast = new HashSet<>();
      long used = 0;
      for (Stay stay : tensors) {
        if (stay.contains(k, kernels)) {
          fast.add(stay.tensor());
          used += stay.bytes();
        }
      }
      long bytes = bufferBytes(kernel, fast);
      long share = devices.fastBytes() / Action.Stream.BUFFER_SHARE;
      if (bytes > 0 && used + Math.max(bytes, share) <= devices.fastBytes()) {
        stays.add(new Stay(Stay.BUFFERS, bytes, k, 1));
      }
    }
  }

  /** Returns the bytes of all buffers of a kernel; 0 if no argument is slow. */
  private long bufferBytes(TaskGraph.Kernel kernel, Set<Integer> fast) {
    long all = 0;
    long slow = 0;
    for (int tensor : kernel.arguments()) {
      long bytes = graph.tensors().get(tensor).bytes();
      all += bytes;
      slow += fast.contains(tensor) ? 0 : bytes;
    }
    long share = devices.fastBytes() / Action.Stream.BUFFER_SHARE;
    long buffers = Math.min(Action.Stream.BUFFERS, Action.Stream.pieces(share, all));
    return buffers * devices.alignedBytes(Math.min(slow, Action.Stream.mostBytes(share)));
  }

  private void note(Map<Integer, List<Move>> moves, What leaves) {
    moves.forEach(
        (kernel, all) -> {
          for (Move move : all) {
            if (move.kind() != Kind.WRITE_BACK) {
              What what = move.kind() == Kind.EVICT ? leaves : What.COMES;
              events.get(move.tensor()).add(new Event(kernel, what));
            }
          }
        });
  }

  /** Adds the stays of a tensor, those that begin in the second round. */
  private void follow(int tensor) {
    int kernels = graph.kernels().size();
    long bytes = devices.alignedBytes(graph.tensors().get(tensor).bytes());
    List<Event> own = events.get(tensor);
    own.sort(ORDER);
    boolean lasting = graph.creator(tensor) < 0;
    int since = lasting ? 0 : -1;
    boolean ended = false;
    for (int round = 0; round < ROUNDS; round++) {
      for (Event event : own) {
        int now = round * kernels + event.kernel();
        if (event.what() == What.COMES) {
          since = since < 0 ? now : since;
        } else if (since >= 0) {
          int last = event.what() == What.LEAVES_AFTER ? now : now - 1;
          if (since >= kernels && since < 2 * kernels && last >= since) {
            stays.add(new Stay(tensor, bytes, since - kernels, last - since + 1));
          }
          ended = true;
          since = -1;
        }
      }
    }
    if (!ended && since >= 0) {
      stays.add(new Stay(tensor, bytes, 0, kernels));
    }
  }
}
