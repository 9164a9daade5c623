package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.placement.plan.PlanDesk;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The desks that plan the steps of this process, one for each folder of slow tensors. All devices
 * of a folder share a desk, so that one network is planned once. Any thread.
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
   * Returns the desk of a folder; the caller releases it with {@link #release}.
   *
   * @param slowDirectory folder of slow tensors
   */
  static PlanDesk acquire(Path slowDirectory) {
    return SHARED.enter(slowDirectory);
  }

  /** Releases the desk of a folder, which is closed with its last user. */
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
      // Outside of the lock, because closing waits for the thread that plans.
      last.close();
    }
  }

  /** Removes a user; returns the desk if that was the last one, else null. */
  private synchronized @Nullable PlanDesk left(Path slowDirectory) {
    Shared shared = desks.get(slowDirectory);
    if (shared == null || --shared.users > 0) {
      return null;
    }
    desks.remove(slowDirectory);
    return shared.desk;
  }
}
