package io.idlalayer.middleware.placement.plan;

import io.idlalayer.middleware.placement.api.Reason;
import io.idlalayer.middleware.placement.plan.PlacementPlan.CreationPlace;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Kind;
import io.idlalayer.middleware.placement.plan.PlacementPlan.Move;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps decisions about plans in files, one for each key, so that a restarted process need not plan
 * again. A file is written beside its place and moved there, so none is ever seen in part. A
 * damaged file is logged and counts as missing. One thread at a time; several processes may share a
 * folder.
 *
 * <p>Form of a file: the four bytes {@code IDPL}, the version as an int, the length of the rest as
 * an int, its CRC32C as a long, the rest.
 */
final class PlanFolder {
  /** Most files of the folder; those that were read or written least recently are deleted. */
  static final int MOST_FILES = 256;

  private static final Logger LOG = LoggerFactory.getLogger(PlanFolder.class);
  private static final int MAGIC = 0x4944504c;
  private static final int VERSION = 1;
  private static final int HEADER_BYTES = 4 + 4 + 4 + 8;
  private static final String SUFFIX = ".plan";

  /** Longest list of a file, against damaged lengths. */
  private static final int MOST_ENTRIES = 1 << 20;

  private final Path folder;

  /**
   * @param folder created with the first file
   */
  PlanFolder(Path folder) {
    this.folder = folder;
  }

  /** Thrown if a file is not whole. */
  private static final class DamagedPlanException extends IOException {
    private static final long serialVersionUID = 1L;

    DamagedPlanException(String message) {
      super(message);
    }
  }

  private Path file(String key) {
    return folder.resolve(key + SUFFIX);
  }

  /** Returns the decision of a key; empty if there is none that can be read. */
  Optional<PlanDecision> read(String key) {
    Path file = file(key);
    try {
      byte[] bytes = Files.readAllBytes(file);
      PlanDecision decision = decoded(bytes);
      touch(file);
      return Optional.of(decision);
    } catch (NoSuchFileException none) {
      return Optional.empty();
    } catch (IOException | RuntimeException damaged) {
      LOG.warn("{} cannot be used, so its step is planned anew: {}", file, damaged.toString());
      return Optional.empty();
    }
  }

  /** Marks a file as used. A folder that cannot be written still serves its decisions. */
  private static void touch(Path file) {
    try {
      Files.setLastModifiedTime(file, FileTime.fromMillis(System.currentTimeMillis()));
    } catch (IOException refused) {
      LOG.debug("the time of {} cannot be set: {}", file, refused.toString());
    }
  }

  /** Writes a decision. A failure is logged; the step is planned again after the next start. */
  void write(String key, PlanDecision decision) {
    Path file = file(key);
    try {
      Files.createDirectories(folder);
      Path part = Files.createTempFile(folder, key, ".part");
      try {
        try (FileChannel channel = FileChannel.open(part, StandardOpenOption.WRITE)) {
          ByteBuffer bytes = ByteBuffer.wrap(encoded(decision));
          while (bytes.hasRemaining()) {
            channel.write(bytes);
          }
          channel.force(true);
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(part);
      }
      sweep();
    } catch (IOException failed) {
      LOG.warn("the plan of a step cannot be written to {}: {}", file, failed.toString());
    }
  }

  private void sweep() throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(folder)) {
      files = new ArrayList<>(all.filter(file -> file.toString().endsWith(SUFFIX)).toList());
    }
    if (files.size() > MOST_FILES) {
      files.sort(Comparator.comparing(PlanFolder::modified));
      for (Path old : files.subList(0, files.size() - MOST_FILES)) {
        Files.deleteIfExists(old);
      }
    }
  }

  private static FileTime modified(Path file) {
    try {
      return Files.getLastModifiedTime(file);
    } catch (IOException gone) {
      // Another process has deleted it.
      return FileTime.fromMillis(0);
    }
  }

  private static byte[] encoded(PlanDecision decision) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
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
      write(plan.before(), out);
      write(plan.after(), out);
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
      }
    }
  }

  private static PlanDecision decoded(byte[] bytes) throws IOException {
    if (bytes.length < HEADER_BYTES) {
      throw new DamagedPlanException("it has only %d bytes".formatted(bytes.length));
    }
    ByteBuffer header = ByteBuffer.wrap(bytes);
    int magic = header.getInt();
    int version = header.getInt();
    int length = header.getInt();
    long checksum = header.getLong();
    if (magic != MAGIC || version != VERSION || length != header.remaining()) {
      throw new DamagedPlanException(
          "it is no plan of version %d with %d bytes after its header"
              .formatted(VERSION, header.remaining()));
    }
    byte[] rest = new byte[length];
    header.get(rest);
    if (checksum(rest) != checksum) {
      throw new DamagedPlanException("its checksum is wrong");
    }
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(rest))) {
      return decision(in);
    }
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
    PlacementPlan plan = new PlacementPlan(places, moves(in), moves(in), predicted, bound);
    return new PlanDecision(planner, plan, nanos, unplanned, planning, kernels, slow, refused);
  }

  private static Map<Integer, List<Move>> moves(DataInputStream in) throws IOException {
    Map<Integer, List<Move>> moves = new HashMap<>();
    for (int left = count(in); left > 0; left--) {
      int kernel = in.readInt();
      List<Move> own = new ArrayList<>();
      for (int more = count(in); more > 0; more--) {
        Kind kind = Kind.valueOf(in.readUTF());
        own.add(new Move(kind, in.readInt(), Reason.valueOf(in.readUTF())));
      }
      moves.put(kernel, own);
    }
    return moves;
  }

  private static int count(DataInputStream in) throws IOException {
    int count = in.readInt();
    if (count < 0 || count > MOST_ENTRIES) {
      throw new DamagedPlanException("it has a list of %d entries".formatted(count));
    }
    return count;
  }

  private static long checksum(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return crc.getValue();
  }
}
