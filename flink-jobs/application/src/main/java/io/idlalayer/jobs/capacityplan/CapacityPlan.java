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
 * @param basis settings on which the plan depends
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

  /** Version of the format. It has not changed yet. */
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

  /** The origin of numbers. */
  public enum Label {
    /** Measured on the machine of the plan. */
    REAL,
    /** Computed in virtual time. */
    SIMULATED
  }

  /**
   * The measurements, with all tensors in fast memory.
   *
   * @param rows rows of a mini-batch
   * @param kernels kernels of a step
   * @param stepSeconds seconds of a step
   * @param peakBytes largest number of bytes of tensors at one time
   * @param updateRows rows of the timed training; null if no training was timed
   * @param updateSeconds seconds of the timed training
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
   * @param path how bytes are written to and read from the device
   */
  public record MeasuredDevice(
      double readBytesPerSecond,
      double writeBytesPerSecond,
      long readLatencyNanos,
      long writeLatencyNanos,
      String medium,
      String path) {}

  /**
   * The predictions.
   *
   * @param needsSlowMemory whether there is a budget of fast memory that is too small for all
   *     tensors
   * @param eventsPerSecond rate at which events arrive
   * @param devices slow devices, by name
   * @param rows one row for each budget and device, by budget
   * @param target how much longer a step is allowed to take than in fast memory, as a share; null
   *     if no target was given
   * @param cheapest index of the cheapest row that meets the target; null if there is none
   * @param verdict description of the cheapest row, in words; null if no target was given
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
   * @param price price of a GiB for a month; null if no price was given
   * @param measured whether the device was measured on this machine; if not, the user gave its
   *     numbers
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
   * @param stepSeconds seconds of a step under each policy; empty if there is no space for its
   *     tensors
   * @param bestSeconds seconds of a step under the best policy
   * @param boundSeconds lower bound of the seconds of a step under any plan that moves whole
   *     tensors
   * @param update updates with such steps; null if there is no space for the tensors
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
   * @param p99WaitSeconds 99th percentile of this time
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
   * @param built whether the product already has the feature of the forecast
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
   * @param mostEventsPerSecond largest rate of events at which the training of all processes keeps
   *     up
   * @param monthPrice price of the memory of all processes for a month; null if a price is missing
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
   * @param pages which neighbour lends pages; null if tensors are moved to a slow device
   * @param stepSeconds seconds of a step
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record MemoryNodes(
      int processes, String topology, @Nullable String pages, @Nullable Double stepSeconds) {}
}
