package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.memory.device.DeviceSpeed;
import io.idlalayer.middleware.placement.api.Division;
import io.idlalayer.middleware.placement.api.TaskGraph;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * A step that is to be planned.
 *
 * @param key digest of all that a plan depends on, without the times of kernels and the names of
 *     tensors, so that another network of the same form has the same plan
 * @param graph with measured times of its kernels
 */
record PlanRequest(String key, List<Planner> planners, TaskGraph graph, PlanDevices devices) {
  /** Version of the planners, the rehearsal and the key; raised when one of them changes. */
  private static final int VERSION = 1;

  /** Speeds count as equal if they differ by less than about this factor. */
  private static final double ROUNDED = 1.1;

  PlanRequest {
    planners = List.copyOf(planners);
  }

  /** Returns a request with its key. */
  static PlanRequest of(List<Planner> planners, TaskGraph graph, PlanDevices devices) {
    return new PlanRequest(key(planners, graph, devices), planners, graph, devices);
  }

  /** Returns this request with other measurements and the same key. */
  PlanRequest measuredAnew(TaskGraph timed, PlanDevices now) {
    return new PlanRequest(key, planners, timed, now);
  }

  private static String key(List<Planner> planners, TaskGraph graph, PlanDevices devices) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(VERSION);
      out.writeInt(planners.size());
      for (Planner planner : planners) {
        out.writeUTF(planner.name());
      }
      write(devices, out);
      out.writeInt(graph.tensors().size());
      for (TaskGraph.Tensor tensor : graph.tensors()) {
        out.writeLong(tensor.bytes());
        out.writeUTF(tensor.kind().name());
        out.writeBoolean(tensor.mutable());
      }
      out.writeInt(graph.kernels().size());
      for (TaskGraph.Kernel kernel : graph.kernels()) {
        write(kernel, out);
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray());
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static void write(PlanDevices devices, DataOutputStream out) throws IOException {
    out.writeLong(devices.fastBytes());
    out.writeLong(devices.granuleBytes());
    out.writeLong(devices.seed());
    out.writeDouble(devices.times().model().writeEfficiency());
    for (DeviceSpeed speed : List.of(devices.times().slow(), devices.times().fast())) {
      out.writeLong(rounded(speed.readBytesPerSecond()));
      out.writeLong(rounded(speed.writeBytesPerSecond()));
      out.writeLong(rounded(1.0 + speed.readLatencyNanos()));
      out.writeLong(rounded(1.0 + speed.writeLatencyNanos()));
    }
  }

  private static long rounded(double value) {
    return Math.round(Math.log(value) / Math.log(ROUNDED));
  }

  private static void write(TaskGraph.Kernel kernel, DataOutputStream out) throws IOException {
    out.writeUTF(kernel.name());
    for (List<Integer> tensors :
        List.of(
            kernel.reads(),
            kernel.writes(),
            kernel.lifetimes().creates(),
            kernel.lifetimes().softEvicts(),
            kernel.lifetimes().retires())) {
      writeAll(tensors, out);
    }
    TaskGraph.Part part = kernel.part();
    out.writeUTF(part == null ? "" : part.phase().name());
    out.writeInt(part == null ? -1 : part.layer());
    Division division = kernel.division();
    List<Division.Section> sections = division == null ? List.of() : division.sections();
    out.writeInt(sections.size());
    for (Division.Section section : sections) {
      out.writeLong(section.elements());
      writeAll(section.widths(), out);
    }
  }

  private static void writeAll(List<Integer> numbers, DataOutputStream out) throws IOException {
    out.writeInt(numbers.size());
    for (int number : numbers) {
      out.writeInt(number);
    }
  }
}
