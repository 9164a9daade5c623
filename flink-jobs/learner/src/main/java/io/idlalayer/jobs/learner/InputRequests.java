package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.InputPositions;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A learner's control requests and facts about its input: requests that wait until the input is
 * read up to their offsets, ends of inputs that were reached, and input that was lost. The state of
 * this object is written when it changes, not with every event. Confined to one thread.
 */
final class InputRequests {
  private static final StateFormat FORMAT = StateFormat.first("input requests");
  private static final StateFormat LOST_FORMAT = StateFormat.first("lost input");
  private static final StateFormat REQUEST_FORMAT = StateFormat.first("request");

  /** Largest number of waiting requests. */
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

  /** The kind of a request. The names are part of the format. */
  enum Kind {
    END,
    TRAIN,
    RETRACT,
    FORGET
  }

  /**
   * A request that waits until the input is read up to its offsets.
   *
   * @param id id of the end or of the sample; "" for a training
   * @param after next offset by "topic-partition" that must be reached first
   */
  record Request(Kind kind, String id, SortedMap<String, Long> after) {}

  /**
   * Adds a request to the waiting ones.
   *
   * @return why the request is refused; null if it is accepted
   */
  @Nullable String add(LearnerEvent.Request request) {
    changed = true;
    if (waiting.size() >= WAITING_MAX) {
      refused++;
      return "%d requests wait already; one more was refused".formatted(WAITING_MAX);
    }
    SortedMap<String, Long> after = request.after();
    if (request instanceof LearnerEvent.EndOfInput end) {
      waiting.add(new Request(Kind.END, end.id(), after));
    } else if (request instanceof LearnerEvent.RetractionRequest retraction) {
      Kind kind = retraction.forgets() ? Kind.FORGET : Kind.RETRACT;
      waiting.add(new Request(kind, retraction.eventId(), after));
    } else {
      waiting.add(new Request(Kind.TRAIN, "", after));
    }
    return null;
  }

  /**
   * Removes and returns the requests whose offsets were reached, in the order in which they came.
   */
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

  /**
   * Records that the learner has read everything before the end of an input. Waiting samples that
   * arrived before this end must be trained now.
   */
  void reached(String end, long nowMillis) {
    ending.add(end);
    reachedAtMillis = nowMillis;
    changed = true;
  }

  /**
   * Returns whether an end of input was reached, and samples from before this end possibly still
   * wait for training.
   */
  boolean ending() {
    return !ending.isEmpty();
  }

  /**
   * Returns when the learner reached the last end of an input, in milliseconds. Everything that
   * arrived up to this time counts as before the end.
   */
  long reachedAtMillis() {
    return reachedAtMillis;
  }

  /**
   * Treats all samples that wait after a restore as if they had arrived before the last end of an
   * input.
   */
  void restoredAt(long nowMillis) {
    reachedAtMillis = ending.isEmpty() ? NOT_REACHED : nowMillis;
  }

  /**
   * Records that everything before the ends of inputs that were reached is trained and published.
   */
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

  /** Returns the number of offsets whose records were lost before they were read. */
  long lostOffsets() {
    return lostOffsets;
  }

  /** Counts input that was lost before it was read. */
  Status.LostRange lost(LearnerEvent.LostInput event) {
    InputPosition from = event.at();
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

  /** Returns whether a request or a fact about the input changed since the last call. */
  boolean takeChanged() {
    boolean was = changed;
    changed = false;
    return was;
  }

  byte[] snapshot() {
    return FORMAT
        .writer()
        .putLong(1, lostOffsets)
        .putLong(2, reread)
        .putLong(3, refused)
        .putList(4, lost.stream().map(InputRequests::snapshot).toList())
        .putTexts(5, List.copyOf(ends))
        .putTexts(6, List.copyOf(ending))
        .putList(7, waiting.stream().map(InputRequests::snapshot).toList())
        .bytes();
  }

  private static byte[] snapshot(Status.LostRange range) {
    return LOST_FORMAT
        .writer()
        .putText(1, range.input())
        .putLong(2, range.from())
        .putLong(3, range.until())
        .putText(4, range.why())
        .bytes();
  }

  private static byte[] snapshot(Request request) {
    StateWriter out =
        REQUEST_FORMAT.writer().putText(1, request.kind().name()).putText(2, request.id());
    return InputPositions.put(out, 3, request.after()).bytes();
  }

  /**
   * Restores the requests and facts in a {@link #snapshot()}.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not a snapshot
   *     of this class
   */
  void restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    lostOffsets = in.getLong(1);
    reread = in.getLong(2);
    refused = in.getLong(3);
    in.getList(4).forEach(range -> lost.addLast(restoreLost(range)));
    in.getTexts(5).forEach(ends::addLast);
    ending.addAll(in.getTexts(6));
    in.getList(7).forEach(request -> waiting.add(restoreRequest(request)));
  }

  private static Status.LostRange restoreLost(byte[] snapshot) {
    StateReader in = LOST_FORMAT.reader(snapshot);
    return new Status.LostRange(in.getText(1), in.getLong(2), in.getLong(3), in.getText(4));
  }

  private static Request restoreRequest(byte[] snapshot) {
    StateReader in = REQUEST_FORMAT.reader(snapshot);
    String name = in.getText(1);
    Kind kind =
        Arrays.stream(Kind.values())
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(() -> in.refused("no request is called " + name));
    return new Request(kind, in.getText(2), InputPositions.offsets(in, 3));
  }
}
