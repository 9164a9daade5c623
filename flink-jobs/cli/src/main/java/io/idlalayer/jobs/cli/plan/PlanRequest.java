package io.idlalayer.jobs.cli.plan;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The input of a plan, as the user has asked for it.
 *
 * @param budgets bytes of fast memory, ascending; empty if none were given
 * @param devices slow devices; empty if this machine's device is to be measured
 * @param dramPrice price of a GiB of fast memory for a month; NaN if none was given
 * @param processes numbers of processes, ascending
 * @param link links of each process; null if none was given
 * @param target allowed slowdown of a step, compared with everything in fast memory, as a share;
 *     NaN if none was given
 * @param eventsPerSecond rate at which events arrive
 */
record PlanRequest(
    List<Long> budgets,
    List<PlannedDevice> devices,
    double dramPrice,
    List<Integer> processes,
    @Nullable PlannedLink link,
    double target,
    double eventsPerSecond) {
  PlanRequest {
    budgets = List.copyOf(budgets);
    devices = List.copyOf(devices);
    processes = List.copyOf(processes);
  }
}
