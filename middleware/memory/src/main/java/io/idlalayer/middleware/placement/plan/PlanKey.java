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
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * The facts on which a decision about the plan of a step depends. The times of kernels and the
 * names of tensors are not among them, so another network of the same form has the same plan.
 *
 * @param version version of the planners, the rehearsal and this key
 * @param planners names of the planners, in their order
 * @param fastBytes budget of the fast device
 * @param granuleBytes unit to which the sizes of objects are rounded up
 * @param pieceBytes size of the pieces of the fast device, at most its budget
 * @param seed seed of planners that draw random numbers
 * @param writeEfficiency share of its write bandwidth that a kernel's stores reach on the slow
 *     device
 * @param speeds bytes a second read and written and latencies in nanoseconds of both, first of the
 *     slow device, then of the fast one, on a logarithmic scale whose steps are factors of {@value
 *     #SPEED_STEP}
 * @param kernels number of kernels of the step
 * @param tensors number of its tensors
 * @param form digest of its kernels and tensors
 */
record PlanKey(
    int version,
    List<String> planners,
    long fastBytes,
    long granuleBytes,
    long pieceBytes,
    long seed,
    double writeEfficiency,
    List<Long> speeds,
    int kernels,
    int tensors,
    String form) {
  /** Raised when planners, the rehearsal or this key change. */
  static final int VERSION = 8;

  /** Speeds count as equal if they differ by less than about this factor. */
  static final double SPEED_STEP = 1.1;

  private static final List<String> SPEEDS =
      List.of(
          "bytes a second read from the slow device",
          "bytes a second written to the slow device",
          "ns of latency to read from the slow device",
          "ns of latency to write to the slow device",
          "bytes a second read from the fast device",
          "bytes a second written to the fast device",
          "ns of latency to read from the fast device",
          "ns of latency to write to the fast device");

  PlanKey {
    planners = List.copyOf(planners);
    speeds = List.copyOf(speeds);
    if (speeds.size() != SPEEDS.size()) {
      throw new IllegalArgumentException(
          "%d speeds; there are %d".formatted(speeds.size(), SPEEDS.size()));
    }
  }

  static PlanKey of(List<Planner> planners, TaskGraph graph, PlanDevices devices) {
    List<Long> speeds = new ArrayList<>();
    for (DeviceSpeed speed : List.of(devices.times().slow(), devices.times().fast())) {
      speeds.add(rounded(speed.readBytesPerSecond()));
      speeds.add(rounded(speed.writeBytesPerSecond()));
      speeds.add(rounded(1.0 + speed.readLatencyNanos()));
      speeds.add(rounded(1.0 + speed.writeLatencyNanos()));
    }
    return new PlanKey(
        VERSION,
        planners.stream().map(Planner::name).toList(),
        devices.fastBytes(),
        devices.granuleBytes(),
        Math.min(devices.pieceBytes(), devices.fastBytes()),
        devices.seed(),
        devices.times().model().writeEfficiency(),
        speeds,
        graph.kernels().size(),
        graph.tensors().size(),
        form(graph));
  }

  private static long rounded(double value) {
    return Math.round(Math.log(value) / Math.log(SPEED_STEP));
  }

  /** Returns a name for a file, which no other key has. */
  String digest() {
    return digest(
        out -> {
          out.writeInt(version);
          out.writeInt(planners.size());
          for (String planner : planners) {
            out.writeUTF(planner);
          }
          out.writeLong(fastBytes);
          out.writeLong(granuleBytes);
          out.writeLong(pieceBytes);
          out.writeLong(seed);
          out.writeDouble(writeEfficiency);
          for (long speed : speeds) {
            out.writeLong(speed);
          }
          out.writeUTF(form);
        });
  }

  /** Returns the differences between another key and this one, each as a part of a sentence. */
  List<String> differences(PlanKey other) {
    List<String> differences = new ArrayList<>();
    differ("version %d of the planners", version, other.version, differences);
    differ("planners %s", planners, other.planners, differences);
    differ("a fast device of %,d bytes", fastBytes, other.fastBytes, differences);
    differ("units of %d bytes", granuleBytes, other.granuleBytes, differences);
    differ("pieces of %,d bytes", pieceBytes, other.pieceBytes, differences);
    differ("seed %d", seed, other.seed, differences);
    differ("stores at %.3g of the bandwidth", writeEfficiency, other.writeEfficiency, differences);
    for (int i = 0; i < speeds.size(); i++) {
      differ(
          "about %.2g " + SPEEDS.get(i),
          Math.pow(SPEED_STEP, speeds.get(i)),
          Math.pow(SPEED_STEP, other.speeds.get(i)),
          differences);
    }
    differ("a step of %d kernels", kernels, other.kernels, differences);
    differ("a step of %d tensors", tensors, other.tensors, differences);
    if (differences.isEmpty() && !form.equals(other.form)) {
      differences.add("another step of as many kernels and tensors");
    }
    return differences;
  }

  private static void differ(String format, Object own, Object other, List<String> into) {
    if (!own.equals(other)) {
      String wanted = String.format(Locale.ROOT, format, own);
      into.add(String.format(Locale.ROOT, format, other) + " instead of " + wanted);
    }
  }

  private static String form(TaskGraph graph) {
    return digest(
        out -> {
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
        });
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
    out.writeBoolean(kernel.repeatable());
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

  /** Writes what a digest is made of. */
  private interface Content {
    void writeTo(DataOutputStream out) throws IOException;
  }

  private static String digest(Content content) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      content.writeTo(out);
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
}
