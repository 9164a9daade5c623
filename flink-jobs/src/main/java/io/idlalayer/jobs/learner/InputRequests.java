package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.Status;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What a learner is asked beside its events, and what it has to say of its input: requests that
 * wait until so much is read, ends that were reached, input that was lost. Written when it changes,
 * not with every event. Confined to one thread.
 *
 * <p>Encoding, version 1, big endian: version byte; lost offsets, reread, refused requests; the
 * lists, each with its number of elements first.
 */
final class InputRequests {
  static final byte VERSION = 1;

  /** Most requests that may wait. */
  static final int WAITING_MAX = 1_024;

  private static final int RANGES = 64;
  private static final int ENDS = 16;
  private static final long NOT_REACHED = Long.MAX_VALUE;

  private long lostOffsets;
  private long reread;
  private long refused;
  private final Deque<Status.LostRange> lost = new ArrayDeque<>();
  private final Deque<String> ends = new ArrayDeque<>();
  private final List<Request> waiting = new ArrayList<>();
  private final List<String> ending = new ArrayList<>();
  private long reachedAtMillis = NOT_REACHED;
  private boolean changed;

  /** What is asked for. The names are part of the format. */
  enum Kind {
    END,
    TRAIN,
    RETRACT
  }

  /**
   * A request.
   *
   * @param id of the end, or of the sample; "" of a training
   * @param after next offset by "topic-partition" that must be reached before
   */
  record Request(Kind kind, String id, SortedMap<String, Long> after) {}

  /**
   * Takes a request.
   *
   * @param inputTopic the topic whose positions it names
   * @return why it is refused, or null
   */
  @Nullable String add(LearnerEvent.Request request, String inputTopic) {
    changed = true;
    if (waiting.size() >= WAITING_MAX) {
      refused++;
      return "%d requests wait already; one more was refused".formatted(WAITING_MAX);
    }
    SortedMap<String, Long> after = new TreeMap<>();
    request
        .after()
        .forEach((partition, next) -> after.put(InputPositions.name(inputTopic, partition), next));
    if (request instanceof LearnerEvent.EndOfInput end) {
      waiting.add(new Request(Kind.END, end.id(), after));
    } else if (request instanceof LearnerEvent.Retraction retraction) {
      waiting.add(new Request(Kind.RETRACT, retraction.eventId(), after));
    } else {
      waiting.add(new Request(Kind.TRAIN, "", after));
    }
    return null;
  }

  /** The requests whose turn has come, in their order; they wait no more. */
  List<Request> due(SortedMap<String, Long> read) {
    if (waiting.isEmpty()) {
      return List.of();
    }
    List<Request> due = new ArrayList<>();
    for (Request request : waiting) {
      boolean reached =
          request.after().entrySet().stream()
              .allMatch(each -> read.getOrDefault(each.getKey(), 0L) >= each.getValue());
      if (reached) {
        due.add(request);
      }
    }
    if (!due.isEmpty()) {
      waiting.removeAll(due);
      changed = true;
    }
    return due;
  }

  boolean anyWaits() {
    return !waiting.isEmpty();
  }

  /** Everything before an end is read; what of it waits is to be trained now. */
  void reached(String end, long nowMillis) {
    ending.add(end);
    reachedAtMillis = nowMillis;
    changed = true;
  }

  /** Whether an end was reached whose samples may still wait. */
  boolean ending() {
    return !ending.isEmpty();
  }

  /** When the last end was reached: what arrived up to then is before it. */
  long reachedAtMillis() {
    return reachedAtMillis;
  }

  /** After a restore: everything that waits now came before the end, or soon after. */
  void restoredAt(long nowMillis) {
    reachedAtMillis = ending.isEmpty() ? NOT_REACHED : nowMillis;
  }

  /** Everything before the ends that were reached is learned. */
  void finish() {
    for (String end : ending) {
      ends.remove(end);
      ends.addLast(end);
      if (ends.size() > ENDS) {
        ends.removeFirst();
      }
    }
    ending.clear();
    reachedAtMillis = NOT_REACHED;
    changed = true;
  }

  /** Counts input that is gone. */
  Status.LostRange lost(LearnerEvent.LostInput event) {
    LearnerEvent.Position from = event.at();
    Status.LostRange range =
        new Status.LostRange(
            InputPositions.name(from.topic(), from.partition()),
            from.offset(),
            event.until(),
            event.reason());
    lostOffsets += event.until() - from.offset();
    lost.addLast(range);
    if (lost.size() > RANGES) {
      lost.removeFirst();
    }
    changed = true;
    return range;
  }

  void reread() {
    reread++;
    changed = true;
  }

  void refused() {
    refused++;
    changed = true;
  }

  Status.Input status() {
    return new Status.Input(lostOffsets, List.copyOf(lost), reread, refused, List.copyOf(ends));
  }

  /** Whether something changed since the last call. */
  boolean takeChanged() {
    boolean was = changed;
    changed = false;
    return was;
  }

  byte[] encode() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(VERSION);
      out.writeLong(lostOffsets);
      out.writeLong(reread);
      out.writeLong(refused);
      out.writeInt(lost.size());
      for (Status.LostRange range : lost) {
        out.writeUTF(range.input());
        out.writeLong(range.from());
        out.writeLong(range.until());
        out.writeUTF(range.why());
      }
      write(out, ends);
      write(out, ending);
      out.writeInt(waiting.size());
      for (Request request : waiting) {
        out.writeUTF(request.kind().name());
        out.writeUTF(request.id());
        out.writeInt(request.after().size());
        for (Map.Entry<String, Long> each : request.after().entrySet()) {
          out.writeUTF(each.getKey());
          out.writeLong(each.getValue());
        }
      }
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return bytes.toByteArray();
  }

  private static void write(DataOutputStream out, java.util.Collection<String> texts)
      throws IOException {
    out.writeInt(texts.size());
    for (String text : texts) {
      out.writeUTF(text);
    }
  }

  /** Takes {@link #encode()} back. */
  void restore(byte[] encoded) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(encoded))) {
      StateVersions.require("input requests", VERSION, in.readByte());
      lostOffsets = in.readLong();
      reread = in.readLong();
      refused = in.readLong();
      for (int i = in.readInt(); i > 0; i--) {
        lost.addLast(
            new Status.LostRange(in.readUTF(), in.readLong(), in.readLong(), in.readUTF()));
      }
      for (int i = in.readInt(); i > 0; i--) {
        ends.addLast(in.readUTF());
      }
      for (int i = in.readInt(); i > 0; i--) {
        ending.add(in.readUTF());
      }
      for (int i = in.readInt(); i > 0; i--) {
        Kind kind = Kind.valueOf(in.readUTF());
        String id = in.readUTF();
        SortedMap<String, Long> after = new TreeMap<>();
        for (int j = in.readInt(); j > 0; j--) {
          after.put(in.readUTF(), in.readLong());
        }
        waiting.add(new Request(kind, id, after));
      }
    } catch (IOException truncated) {
      throw new UncheckedIOException("state of input requests is truncated", truncated);
    }
  }
}
