package io.idlalayer.console.topics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.replay.DamagedRecordingException;
import io.idlalayer.jobs.replay.RecordedEvents;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A feed of recorded events from a file with one JSON object a line, plain or gzip, as {@code idla
 * run --decisions} or the topics have them. Either all events count as past events, or all are
 * replayed at a multiple of the recorded pace. A truncated last line is ignored.
 */
public final class RecordingFeed implements EventFeed {
  private static final int MOST_AT_ONCE = 2_000;

  private final RecordedEvents events;
  private final double speed;
  private final LongSupplier nanoClock;
  private final long startNanos;
  private long firstMillis;
  private @Nullable DecisionEvent next;

  /**
   * @param speed factor by which the replay is faster than the recording; 0 if all events count as
   *     past events
   * @param nanoClock a monotonic clock
   * @throws IOException if the file cannot be read, or its first line is not an event
   */
  public RecordingFeed(Path file, double speed, LongSupplier nanoClock) throws IOException {
    this.speed = speed;
    this.nanoClock = nanoClock;
    startNanos = nanoClock.getAsLong();
    events = new RecordedEvents(file);
    try {
      next = events.next();
      if (next == null) {
        throw new DamagedRecordingException(
            file + " holds no event" + (events.cut().isEmpty() ? "" : " (" + events.cut() + ")"));
      }
      firstMillis = next.atMillis();
    } catch (IOException refused) {
      events.close();
      throw refused;
    }
  }

  @Override
  public void history(Consumer<DecisionEvent> take) throws IOException {
    if (speed == 0) {
      for (DecisionEvent event = next; event != null; event = events.next()) {
        take.accept(event);
      }
      next = null;
    }
  }

  @Override
  public List<DecisionEvent> poll(Duration longest) throws IOException {
    List<DecisionEvent> due = new ArrayList<>();
    double elapsedMillis = (nanoClock.getAsLong() - startNanos) / 1e6 * speed;
    DecisionEvent event = next;
    while (event != null
        && event.atMillis() - firstMillis <= elapsedMillis
        && due.size() < MOST_AT_ONCE) {
      due.add(event);
      event = events.next();
    }
    next = event;
    if (due.isEmpty()) {
      LockSupport.parkNanos(longest.toNanos());
    }
    return due;
  }

  @Override
  public String note() {
    return events.cut();
  }

  @Override
  public void close() {
    try {
      events.close();
    } catch (IOException nothingIsLost) {
      // The file was only read, so a failure to close it does no harm.
      next = null;
    }
  }
}
