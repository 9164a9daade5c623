package io.idlalayer.jobs.cli.plan;

import io.idlalayer.middleware.capacity.PagePlacement;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A plan.
 *
 * @param needsSlow whether any requested budget is too small to hold everything
 * @param rows one row for each budget and device, by budget
 * @param chosen the row for the forecast of the processes: the cheapest row that meets the target,
 *     or the fastest row
 * @param verdict which row is the cheapest that meets the target, in words; empty if there was no
 *     target
 * @param processes one row for each number of processes
 * @param nodes memory nodes instead of a slow device
 * @param remarks further sentences
 */
record PlanResult(
    boolean needsSlow,
    List<Row> rows,
    Row chosen,
    String verdict,
    List<ProcessRow> processes,
    MemoryNodes nodes,
    List<String> remarks) {
  PlanResult {
    rows = List.copyOf(rows);
    processes = List.copyOf(processes);
    remarks = List.copyOf(remarks);
  }

  /**
   * A budget of fast memory with a slow device.
   *
   * @param fastBytes the budget
   * @param device the slow device; null if everything fits into fast memory
   * @param stepSeconds seconds of a step under each policy; empty if the step's tensors do not fit
   * @param boundSeconds lower bound: no plan that moves whole tensors is faster; NaN if unknown
   * @param update forecast of updates; null if the step's tensors do not fit
   * @param monthPrice price of the memory for a month; NaN if a price is missing
   * @param note a short remark; empty if there is none
   */
  record Row(
      long fastBytes,
      @Nullable PlannedDevice device,
      Map<String, Double> stepSeconds,
      double boundSeconds,
      @Nullable UpdateForecast update,
      double monthPrice,
      String note) {
    /** Returns the seconds of a step under the best policy; NaN if its tensors do not fit. */
    double bestSeconds() {
      return stepSeconds.values().stream()
          .mapToDouble(Double::doubleValue)
          .min()
          .orElse(Double.NaN);
    }

    /** Returns the budget and the device in words. */
    String title() {
      PlannedDevice slow = device;
      return slow == null
          ? Units.size(fastBytes) + " of fast memory alone"
          : Units.size(fastBytes) + " of fast memory and " + slow.name();
    }
  }

  /**
   * Several processes that train one model.
   *
   * @param mixSeconds seconds in which parameters are averaged after an update
   * @param update updates of each process, with the mixing
   * @param mostEventsPerSecond rate of events that all processes keep up with
   * @param monthPrice price of the memory of all of them for a month; NaN if a price is missing
   */
  record ProcessRow(
      int processes,
      double mixSeconds,
      UpdateForecast update,
      double mostEventsPerSecond,
      double monthPrice) {}

  /**
   * Processes that train each step together and move tensors to memory nodes (Kwon 2018).
   *
   * @param fastBytes fast memory of each process
   * @param rows one row for each number of processes and form
   */
  record MemoryNodes(long fastBytes, List<NodeRow> rows) {
    /** No forecast of memory nodes. */
    static final MemoryNodes NONE = new MemoryNodes(0, List.of());

    MemoryNodes {
      rows = List.copyOf(rows);
    }
  }

  /**
   * A number of processes with memory nodes in one form.
   *
   * @param topology name of the form
   * @param placement which neighbour lends pages; null if tensors go to a slow device
   * @param stepSeconds seconds of a step
   */
  record NodeRow(
      int processes, String topology, @Nullable PagePlacement placement, double stepSeconds) {}
}
