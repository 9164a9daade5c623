package io.idlalayer.middleware.placement.policies.improved;

import io.idlalayer.middleware.memory.DeviceUse;
import io.idlalayer.middleware.memory.MemObject;
import io.idlalayer.middleware.placement.api.Action;
import io.idlalayer.middleware.placement.api.MemoryView;
import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which objects are copied to the fast device while the kernels of a known step run, for kernels
 * that come soon: only into space that is free, and that nothing needs before.
 */
final class GapReadAhead {
  private static final int AT_ONCE = 1;
  private static final int HORIZON = 3;
  private static final long LARGE_SHARE = 8;

  private @Nullable TaskGraph graph;
  private long[] live = {};

  void beginStep(TaskGraph announced) {
    if (!announced.equals(graph)) {
      graph = announced;
      live = announced.liveBytes();
    }
  }

  List<Action> after(int kernel, MemoryView view) {
    TaskGraph known = graph;
    if (known == null || view.copiesUnderWay() >= AT_ONCE) {
      return List.of();
    }
    DeviceUse fast = view.fast();
    long free = fast.budgetBytes() - fast.occupiedBytes();
    long growth = 0;
    int begun = view.copiesUnderWay();
    List<Action> actions = new ArrayList<>();
    int end = Math.min(known.kernels().size(), kernel + 1 + HORIZON);
    for (int k = kernel + 1; k < end && begun < AT_ONCE; k++) {
      growth = Math.max(growth, live[k] - live[Math.max(0, kernel)]);
      for (int tensor : known.kernels().get(k).arguments()) {
        MemObject object = view.object(tensor);
        if (object == null
            || view.inFast(object)
            || view.copying(object)
            || !view.movable(object)) {
          continue;
        }
        long bytes = fast.spec().alignedBytes(object.bytes());
        if (bytes < StepGaps.SMALLEST_BYTES || bytes > free - growth || !view.hasFastSpace(bytes)) {
          continue;
        }
        boolean large = object.bytes() >= fast.budgetBytes() / LARGE_SHARE;
        Room room = new Room(large ? Room.End.HIGH : Room.End.LOW, List.of());
        long nanos = view.times().copyIn(object.bytes());
        actions.add(new Action.Fetch(object, room, true, Reason.ARGUMENT, nanos));
        free -= bytes;
        begun++;
      }
    }
    return actions;
  }
}
