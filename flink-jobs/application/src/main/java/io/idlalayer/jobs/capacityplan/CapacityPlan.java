package io.idlalayer.jobs.capacityplan;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a training step, an update and a month cost with other memories, devices and numbers of
 * processes. A number that is not known is null.
 *
 * @param format always {@link #FORMAT}
 * @param version version of this format
 * @param application name of the application
 * @param madeAtMillis when the plan was made, in epoch milliseconds
 * @param basis settings that the plan depends on
 * @param remarks further sentences
 */
@JsonInclude(JsonInclude.Include.ALWAYS)
public record CapacityPlan(
    String format,
    int version,
    String application,
    long madeAtMillis,
    PlanBasis basis,
    Measured measured,
    Predicted predicted,
    Forecast forecast,
    List<String> remarks) {
  public static final String FORMAT = "idla-plan";

  /** Version of the format, which has not changed yet. */
  public static final int VERSION = 1;

  public CapacityPlan {
    Objects.requireNonNull(format, "format");
    Objects.requireNonNull(application, "application");
    Objects.requireNonNull(basis, "basis");
    Objects.requireNonNull(measured, "measured");
    Objects.requireNonNull(predicted, "predicted");
    Objects.requireNonNull(forecast, "forecast");
    remarks = List.copyOf(remarks);
  }

  /** Where numbers come from. */
  public enum Label {
    /** Measured on the machine of the plan. */
    REAL,
    /** Computed in virtual time. */
    SIMULATED
  }

  /**
   * What was measured, with everything in fast memory.
   *
   * @param rows rows of a mini-batch
   * @param kernels kernels of a step
   * @param stepSeconds seconds of a step
   * @param peakBytes most bytes of tensors at one time
   * @param updateRows rows of the training that was timed; null if none was
   * @param updateSeconds seconds of that training
   * @param devices devices of the machine, by name
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Measured(
      Label label,
      int rows,
      int kernels,
      double stepSeconds,
      long peakBytes,
      long largestKernelBytes,
      long parameterBytes,
      @Nullable Integer updateRows,
      @Nullable Double updateSeconds,
      Map<String, MeasuredDevice> devices) {}

  /**
   * A device of the machine of the plan.
   *
   * @param medium kind of the device, such as ssd
   * @param path how bytes reach it
   */
  public record MeasuredDevice(
      double readBytesPerSecond,
      double writeBytesPerSecond,
      long readLatencyNanos,
      long writeLatencyNanos,
      String medium,
      String path) {}

  /**
   * What was predicted.
   *
   * @param needsSlowMemory whether a budget is too small for everything
   * @param eventsPerSecond rate at which events arrive
   * @param devices slow devices, by name
   * @param rows one row for each budget and device, by budget
   * @param target how much longer than in fast memory a step may take, as a share; null if none was
   *     given
   * @param cheapest index of the cheapest row that meets the target; null if there is none
   * @param verdict which row that is, in words; null if no target was given
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Predicted(
      Label label,
      boolean needsSlowMemory,
      double eventsPerSecond,
      Map<String, SlowDevice> devices,
      List<Row> rows,
      @Nullable Double target,
      @Nullable Integer cheapest,
      @Nullable String verdict) {
    public Predicted {
      rows = List.copyOf(rows);
    }
  }

  /**
   * A slow device.
   *
   * @param price price of a GiB for a month; null if none was given
   * @param measured whether it is a device of the machine; else its numbers were given
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record SlowDevice(
      double readBytesPerSecond,
      double writeBytesPerSecond,
      long readLatencyNanos,
      long writeLatencyNanos,
      @Nullable Double price,
      boolean measured) {}

  /**
   * A budget of fast memory with a slow device.
   *
   * @param fastBytes the budget
   * @param device name of the slow device; null if everything fits into fast memory
   * @param stepSeconds seconds of a step under each policy; empty if its tensors find no place
   * @param bestSeconds seconds of a step under the best policy
   * @param boundSeconds no plan that moves whole tensors is faster
   * @param update updates with such steps; null if the tensors find no place
   * @param monthPrice price of the memory for a month; null if a price is missing
   * @param note a short remark; empty if there is none
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Row(
      long fastBytes,
      @Nullable String device,
      Map<String, Double> stepSeconds,
      @Nullable Double bestSeconds,
      @Nullable Double boundSeconds,
      @Nullable Update update,
      @Nullable Double monthPrice,
      String note) {}

  /**
   * Updates in virtual time.
   *
   * @param keepsUp whether training keeps up with the events
   * @param seconds mean duration of an update; null if training does not keep up
   * @param samples mean number of new samples of an update
   * @param meanWaitSeconds mean time from the arrival of an event to the end of its update
   * @param p99WaitSeconds time that 99 % of events do not exceed
   * @param mostEventsPerSecond rate above which training does not keep up
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Update(
      boolean keepsUp,
      @Nullable Double seconds,
      @Nullable Double samples,
      @Nullable Double meanWaitSeconds,
      @Nullable Double p99WaitSeconds,
      @Nullable Double mostEventsPerSecond) {}

  /**
   * Forecasts of several processes.
   *
   * @param built whether the product has what is forecast
   * @param processes processes that average their parameters after each update
   * @param memoryNodesFastBytes fast memory of each process with memory nodes
   * @param memoryNodes processes that move tensors to memory nodes
   */
  public record Forecast(
      Label label,
      boolean built,
      List<Processes> processes,
      long memoryNodesFastBytes,
      List<MemoryNodes> memoryNodes) {
    public Forecast {
      processes = List.copyOf(processes);
      memoryNodes = List.copyOf(memoryNodes);
    }
  }

  /**
   * Several processes that train one model.
   *
   * @param mixSeconds seconds in which parameters are averaged after an update
   * @param update updates of each process, with the mixing
   * @param mostEventsPerSecond rate of events that all processes keep up with
   * @param monthPrice price of the memory of all of them for a month; null if a price is missing
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Processes(
      int processes,
      double mixSeconds,
      Update update,
      @Nullable Double mostEventsPerSecond,
      @Nullable Double monthPrice) {}

  /**
   * Processes with memory nodes in one form.
   *
   * @param topology name of the form
   * @param pages which neighbour lends pages; null where tensors go to a slow device
   * @param stepSeconds seconds of a step
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record MemoryNodes(
      int processes, String topology, @Nullable String pages, @Nullable Double stepSeconds) {}
}
