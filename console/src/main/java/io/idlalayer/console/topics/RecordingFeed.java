package io.idlalayer.console.topics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.jobs.replay.ArrivalFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Recorded events, one JSON object a line, plain or gzip, as {@code idla run --decisions} writes
 * them or as they are on the topics. All of it is the past, or all of it happens again at a
 * multiple of the recorded pace.
 */
public final class RecordingFeed implements EventFeed {
  private static final int MOST_AT_ONCE = 2_000;

  private final Path file;
  private final BufferedReader in;
  private final double speed;
  private final LongSupplier nanoClock;
  private final long startNanos;
  private long line;
  private long firstMillis;
  private @Nullable DecisionEvent next;

  /**
   * @param speed how much faster than recorded; 0 if all of it is the past
   * @param nanoClock monotonic
   * @throws IOException if the file cannot be read, or its first line is no event
   */
  public RecordingFeed(Path file, double speed, LongSupplier nanoClock) throws IOException {
    this.file = file;
    this.speed = speed;
    this.nanoClock = nanoClock;
    startNanos = nanoClock.getAsLong();
    in = ArrivalFile.open(file);
    try {
      next = read();
      if (next == null) {
        throw new IOException(file + " holds no event");
      }
      firstMillis = next.atMillis();
    } catch (IOException refused) {
      in.close();
      throw refused;
    }
  }

  private @Nullable DecisionEvent read() throws IOException {
    for (String text = in.readLine(); text != null; text = in.readLine()) {
      line++;
      if (!text.isBlank()) {
        return DecisionEventCodec.decode(text.getBytes(StandardCharsets.UTF_8))
            .orElseThrow(
                () ->
                    new IOException(
                        "%s:%d: not a decision event that this program reads"
                            .formatted(file, line)));
      }
    }
    return null;
  }

  @Override
  public void history(Consumer<DecisionEvent> take) throws IOException {
    if (speed == 0) {
      for (DecisionEvent event = next; event != null; event = read()) {
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
      event = read();
    }
    next = event;
    if (due.isEmpty()) {
      LockSupport.parkNanos(longest.toNanos());
    }
    return due;
  }

  @Override
  public void close() {
    try {
      in.close();
    } catch (IOException nothingIsLost) {
      // It was only read.
      next = null;
    }
  }
}
