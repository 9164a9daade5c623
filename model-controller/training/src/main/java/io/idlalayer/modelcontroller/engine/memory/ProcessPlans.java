package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.plan.PlanDesk;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The desks that plan the steps of this process, one for each folder of slow tensors. All devices
 * of a folder share a desk, so that each network is planned only once. Thread-safe.
 */
final class ProcessPlans {
  /** Name of the folder with plans in a folder of slow tensors. */
  static final String FOLDER = "plans";

  private static final ProcessPlans SHARED = new ProcessPlans();

  private final Map<Path, Shared> desks = new HashMap<>();

  private ProcessPlans() {}

  private static final class Shared {
    private final PlanDesk desk;
    private int users;

    private Shared(PlanDesk desk) {
      this.desk = desk;
    }
  }

  /**
   * Returns the desk of a folder. The caller must release the desk with {@link #release}.
   *
   * @param slowDirectory folder of slow tensors
   */
  static PlanDesk acquire(Path slowDirectory) {
    return SHARED.enter(slowDirectory);
  }

  /** Releases the desk of a folder. The desk is closed when its last user has released it. */
  static void release(Path slowDirectory) {
    SHARED.leave(slowDirectory);
  }

  private synchronized PlanDesk enter(Path slowDirectory) {
    Shared shared =
        desks.computeIfAbsent(
            slowDirectory, folder -> new Shared(PlanDesk.open(folder.resolve(FOLDER))));
    shared.users++;
    return shared.desk;
  }

  private void leave(Path slowDirectory) {
    PlanDesk last = left(slowDirectory);
    if (last != null) {
      // The desk is closed outside of the lock, because closing waits for the planning thread.
      last.close();
    }
  }

  /** Removes a user of a desk. Returns the desk if this was its last user, else null. */
  private synchronized @Nullable PlanDesk left(Path slowDirectory) {
    Shared shared = desks.get(slowDirectory);
    if (shared == null || --shared.users > 0) {
      return null;
    }
    desks.remove(slowDirectory);
    return shared.desk;
  }
}
