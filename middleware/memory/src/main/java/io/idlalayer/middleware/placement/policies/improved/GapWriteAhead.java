package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.RecentGraphs;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.policies.improved.StepGaps.Gap;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Chooses objects to write back while the kernels of an announced step run, so that the objects can
 * leave later without a copy. An object may be written back as soon as no kernel changes it before
 * a long gap in its uses; kernels that only read it run beside the copy. It chooses no more bytes
 * than the fast device will lack in the rest of this step or, for lasting tensors, in the next
 * step. Objects that are not used for the longest time come first.
 */
final class GapWriteAhead {
  /**
   * Most background copies at a time. They are enough to keep the slow device busy during a kernel,
   * and few enough to wait for, because an object that is being copied cannot leave.
   */
  private static final int AT_ONCE = 8;

  private static final Comparator<Gap> LONGEST_FIRST =
      Comparator.comparingInt((Gap gap) -> -gap.to())
          .thenComparingInt(Gap::from)
          .thenComparingInt(Gap::tensor);

  private static final Comparator<Gap> SOONEST_FIRST =
      Comparator.comparingInt(Gap::from).thenComparing(LONGEST_FIRST);

  private final RecentGraphs<StepGaps> steps = new RecentGraphs<>();
  private @Nullable StepGaps step;

  /** Gaps between uses of a tensor that have begun and have not ended. */
  private final TreeSet<Gap> begun = new TreeSet<>(LONGEST_FIRST);

  /** Gaps that will begin later, of objects that no kernel changes before. */
  private final TreeSet<Gap> coming = new TreeSet<>(SOONEST_FIRST);

  /** Index of the kernel up to which {@link #begun} and {@link #coming} are current. */
  private int last;

  void beginStep(TaskGraph graph) {
    StepGaps known = steps.get(graph, StepGaps::new);
    step = known;
    begun.clear();
    coming.clear();
    coming.addAll(known.inherited());
    last = -1;
  }

  /**
   * Returns the write-backs to start after a kernel, which go on beside the kernels that follow.
   */
  List<Action> after(int kernel, MemoryView view) {
    StepGaps known = step;
    if (known == null || kernel >= known.kernels()) {
      return List.of();
    }
    advance(known, kernel);
    int room = AT_ONCE - view.writeBacksUnderWay();
    long slow = known.live(kernel) - view.fast().occupiedBytes();
    long budget = view.fast().budgetBytes();
    Search search =
        new Search(
            known.mostLiveAfter(kernel) - budget - slow, known.peak() - budget - slow, room, view);
    search.through(begun, known.kernels());
    search.through(coming, known.kernels());
    return search.actions;
  }

  private void advance(StepGaps known, int kernel) {
    for (int k = last + 1; k <= kernel; k++) {
      coming.addAll(known.writtenBy(k));
    }
    last = kernel;
    while (!coming.isEmpty() && coming.first().from() <= kernel) {
      begun.add(coming.pollFirst());
    }
    while (!begun.isEmpty() && begun.last().to() <= kernel + 1) {
      begun.pollLast();
    }
  }

  /** Chooses objects to write back until enough bytes can leave the fast device without a copy. */
  private static final class Search {
    private final long forStep;
    private final long forNextStep;
    private final int most;
    private final MemoryView view;
    private final List<Action> actions = new ArrayList<>();

    /** Tensors that the search has considered, because a tensor may have several gaps. */
    private final Set<Integer> seen = new HashSet<>();

    private long ready;

    /**
     * Creates a search that has chosen no object yet.
     *
     * @param forStep bytes that do not fit into the rest of this step
     * @param forNextStep bytes that do not fit into the next step, where only lasting tensors are
     *     left
     * @param most copies to begin
     */
    Search(long forStep, long forNextStep, int most, MemoryView view) {
      this.forStep = forStep;
      this.forNextStep = forNextStep;
      this.most = most;
      this.view = view;
    }

    void through(Iterable<Gap> gaps, int kernels) {
      long forAny = Math.max(forStep, forNextStep);
      for (Gap gap : gaps) {
        if (ready >= forAny || actions.size() >= most) {
          return;
        }
        if (ready < (gap.to() >= kernels ? forAny : forStep) && seen.add(gap.tensor())) {
          consider(gap);
        }
      }
    }

    private void consider(Gap gap) {
      MemObject object = view.object(gap.tensor());
      if (object == null || !view.inFast(object)) {
        return;
      }
      boolean written = view.copying(object) || !view.needsWriteBack(object);
      if (written || view.movable(object)) {
        ready += object.bytes();
      }
      if (!written && view.movable(object)) {
        long nanos = view.times().copyOut(object.bytes());
        actions.add(new Action.WriteBack(object, Reason.WRITE_AHEAD, nanos));
      }
    }
  }
}
