package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.api.Recomputation;
import io.idlalayer.middleware.placement.api.Recomputation.Rerun;
import io.idlalayer.middleware.placement.api.Room;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32C;

/**
 * The content of a file with a decision, and the key that it belongs to.
 *
 * <p>Form: the four bytes {@code IDPL}, the version as an int, the length of the rest as an int,
 * its CRC32C as a long, the rest. The rest is the key, then the decision.
 */
record PlanFile(PlanKey key, PlanDecision decision) {
  private static final int MAGIC = 0x4944504c;
  private static final int VERSION = 5;
  private static final int HEADER_BYTES = 4 + 4 + 4 + 8;

  /** Longest list of a file, against damaged lengths. */
  private static final int MOST_ENTRIES = 1 << 20;

  /** Thrown if a file is not whole, or does not belong to the step that is to be planned. */
  static final class UnusablePlanException extends IOException {
    private static final long serialVersionUID = 1L;

    UnusablePlanException(String message) {
      super(message);
    }
  }

  byte[] encoded() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      writeKey(out);
      out.writeUTF(decision.planner());
      out.writeLong(decision.nanos());
      out.writeLong(decision.unplannedNanos());
      out.writeLong(decision.planningNanos());
      out.writeLong(decision.kernelNanos());
      out.writeDouble(decision.slowBytesPerSecond());
      out.writeInt(decision.refused().size());
      for (Map.Entry<String, String> each : decision.refused().entrySet()) {
        out.writeUTF(each.getKey());
        out.writeUTF(each.getValue());
      }
      PlacementPlan plan = decision.plan();
      out.writeLong(plan.predictedNanos());
      out.writeLong(plan.boundNanos());
      out.writeInt(plan.places().size());
      for (Map.Entry<Integer, CreationPlace> each : plan.places().entrySet()) {
        out.writeInt(each.getKey());
        out.writeUTF(each.getValue().name());
      }
      out.writeInt(plan.offsets().size());
      for (Map.Entry<Integer, Long> each : plan.offsets().entrySet()) {
        out.writeInt(each.getKey());
        out.writeLong(each.getValue());
      }
      write(plan.before(), out);
      write(plan.after(), out);
      write(plan.recomputation(), out);
    }
    byte[] rest = bytes.toByteArray();
    return ByteBuffer.allocate(HEADER_BYTES + rest.length)
        .putInt(MAGIC)
        .putInt(VERSION)
        .putInt(rest.length)
        .putLong(checksum(rest))
        .put(rest)
        .array();
  }

  private void writeKey(DataOutputStream out) throws IOException {
    out.writeInt(key.version());
    out.writeInt(key.planners().size());
    for (String planner : key.planners()) {
      out.writeUTF(planner);
    }
    out.writeLong(key.fastBytes());
    out.writeLong(key.granuleBytes());
    out.writeLong(key.pieceBytes());
    out.writeLong(key.seed());
    out.writeDouble(key.writeEfficiency());
    out.writeInt(key.speeds().size());
    for (long speed : key.speeds()) {
      out.writeLong(speed);
    }
    out.writeInt(key.kernels());
    out.writeInt(key.tensors());
    out.writeUTF(key.form());
  }

  private static void write(Map<Integer, List<Move>> moves, DataOutputStream out)
      throws IOException {
    out.writeInt(moves.size());
    for (Map.Entry<Integer, List<Move>> each : moves.entrySet()) {
      out.writeInt(each.getKey());
      out.writeInt(each.getValue().size());
      for (Move move : each.getValue()) {
        out.writeUTF(move.kind().name());
        out.writeInt(move.tensor());
        out.writeUTF(move.reason().name());
        out.writeLong(move.offset());
      }
    }
  }

  private static void write(Recomputation recomputation, DataOutputStream out) throws IOException {
    out.writeInt(recomputation.reruns().size());
    for (Rerun rerun : recomputation.reruns()) {
      out.writeInt(rerun.before());
      out.writeInt(rerun.kernels().size());
      for (int kernel : rerun.kernels()) {
        out.writeInt(kernel);
      }
    }
  }

  /**
   * Reads the content of a file.
   *
   * @throws IOException if it is damaged
   */
  static PlanFile decode(byte[] bytes) throws IOException {
    if (bytes.length < HEADER_BYTES) {
      throw new UnusablePlanException("it has only %d bytes".formatted(bytes.length));
    }
    ByteBuffer header = ByteBuffer.wrap(bytes);
    int magic = header.getInt();
    int version = header.getInt();
    int length = header.getInt();
    long checksum = header.getLong();
    if (magic != MAGIC || version != VERSION || length != header.remaining()) {
      throw new UnusablePlanException(
          "it is no plan of version %d with %d bytes after its header"
              .formatted(VERSION, header.remaining()));
    }
    byte[] rest = new byte[length];
    header.get(rest);
    if (checksum(rest) != checksum) {
      throw new UnusablePlanException("its checksum is wrong");
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(rest))) {
      return new PlanFile(key(in), decision(in));
    }
  }

  private static PlanKey key(DataInputStream in) throws IOException {
    int version = in.readInt();
    List<String> planners = new ArrayList<>();
    for (int left = count(in); left > 0; left--) {
      planners.add(in.readUTF());
    }
    long fastBytes = in.readLong();
    long granuleBytes = in.readLong();
    long pieceBytes = in.readLong();
    long seed = in.readLong();
    double writeEfficiency = in.readDouble();
    List<Long> speeds = new ArrayList<>();
    for (int left = count(in); left > 0; left--) {
      speeds.add(in.readLong());
    }
    return new PlanKey(
        version,
        planners,
        fastBytes,
        granuleBytes,
        pieceBytes,
        seed,
        writeEfficiency,
        speeds,
        in.readInt(),
        in.readInt(),
        in.readUTF());
  }

  private static PlanDecision decision(DataInputStream in) throws IOException {
    String planner = in.readUTF();
    long nanos = in.readLong();
    long unplanned = in.readLong();
    long planning = in.readLong();
    long kernels = in.readLong();
    double slow = in.readDouble();
    Map<String, String> refused = new HashMap<>();
    for (int left = count(in); left > 0; left--) {
      refused.put(in.readUTF(), in.readUTF());
    }
    long predicted = in.readLong();
    long bound = in.readLong();
    Map<Integer, CreationPlace> places = new HashMap<>();
    for (int left = count(in); left > 0; left--) {
      places.put(in.readInt(), CreationPlace.valueOf(in.readUTF()));
    }
    Map<Integer, Long> offsets = new HashMap<>();
    for (int left = count(in); left > 0; left--) {
      offsets.put(in.readInt(), in.readLong());
    }
    PlacementPlan plan =
        new PlacementPlan(
            places, offsets, moves(in), moves(in), predicted, bound, recomputation(in));
    return new PlanDecision(planner, plan, nanos, unplanned, planning, kernels, slow, refused);
  }

  private static Map<Integer, List<Move>> moves(DataInputStream in) throws IOException {
    Map<Integer, List<Move>> moves = new HashMap<>();
    for (int left = count(in); left > 0; left--) {
      int kernel = in.readInt();
      List<Move> own = new ArrayList<>();
      for (int more = count(in); more > 0; more--) {
        Kind kind = Kind.valueOf(in.readUTF());
        own.add(new Move(kind, in.readInt(), Reason.valueOf(in.readUTF()), in.readLong()));
      }
      moves.put(kernel, own);
    }
    return moves;
  }

  private static Recomputation recomputation(DataInputStream in) throws IOException {
    List<Rerun> reruns = new ArrayList<>();
    for (int left = count(in); left > 0; left--) {
      int before = in.readInt();
      List<Integer> kernels = new ArrayList<>();
      for (int more = count(in); more > 0; more--) {
        kernels.add(in.readInt());
      }
      try {
        reruns.add(new Rerun(kernels, before));
      } catch (IllegalArgumentException wrong) {
        throw new UnusablePlanException(String.valueOf(wrong.getMessage()));
      }
    }
    try {
      return new Recomputation(reruns);
    } catch (IllegalArgumentException wrong) {
      throw new UnusablePlanException(String.valueOf(wrong.getMessage()));
    }
  }

  private static int count(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MOST_ENTRIES) {
      throw new UnusablePlanException("it has a list of %d entries".formatted(count));
    }
    return count;
  }

  private static long checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }

  /**
   * Refuses a file of another key, and one that names kernels or tensors that its step does not
   * have.
   *
   * @param step the step of the key
   * @throws UnusablePlanException with all that differs
   */
  void requireFor(PlanKey wanted, TaskGraph step) throws UnusablePlanException {
    if (!key.equals(wanted)) {
      throw new UnusablePlanException(
          "it was planned for " + String.join(", ", wanted.differences(key)));
    }
    PlacementPlan plan = decision.plan();
    TaskGraph run;
    try {
      run = plan.recomputation().appliedTo(step).graph();
    } catch (IllegalArgumentException | IndexOutOfBoundsException wrong) {
      throw new UnusablePlanException(
          "its step cannot run as it says: " + String.valueOf(wrong.getMessage()));
    }
    int kernels = run.kernels().size();
    int tensors = run.tensors().size();
    require(plan.places().keySet().stream().mapToInt(Integer::intValue).toArray(), tensors);
    require(plan.offsets().keySet().stream().mapToInt(Integer::intValue).toArray(), tensors);
    for (long offset : plan.offsets().values()) {
      requireOffset(offset, key);
    }
    for (Map<Integer, List<Move>> moves : List.of(plan.before(), plan.after())) {
      for (List<Move> all : moves.values()) {
        for (Move move : all) {
          if (move.offset() != Room.ANYWHERE) {
            requireOffset(move.offset(), key);
          }
        }
      }
      require(moves.keySet().stream().mapToInt(Integer::intValue).toArray(), kernels);
      require(
          moves.values().stream().flatMap(List::stream).mapToInt(Move::tensor).toArray(), tensors);
    }
  }

  /** Refuses offsets that a device of the key does not have. */
  private static void requireOffset(long offset, PlanKey key) throws UnusablePlanException {
    if (offset < 0 || offset >= key.fastBytes() || offset % key.granuleBytes() != 0) {
      throw new UnusablePlanException(
          "it names offset %d; multiples of %d below %d are possible"
              .formatted(offset, key.granuleBytes(), key.fastBytes()));
    }
  }

  private static void require(int[] indexes, int count) throws UnusablePlanException {
    for (int index : indexes) {
      if (index < 0 || index >= count) {
        throw new UnusablePlanException(
            "it names kernel or tensor %d, of which there are %d".formatted(index, count));
      }
    }
  }
}
