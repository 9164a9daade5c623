package io.idlalayer.jobs.replay;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Reads recorded decision events from a file with one JSON object a line, plain or gzip. A
 * truncated last line counts as the end of the recording: the writer was killed, its disk was full,
 * or it is still writing. Confined to one thread.
 */
public final class RecordedEvents implements AutoCloseable {
  private final Path file;
  private final LineRecordReader lines;
  private String cut = "";

  /**
   * Opens a file of recorded events.
   *
   * @throws DamagedRecordingException if the file begins like gzip and is not gzip, or is of an
   *     unsupported kind
   * @throws IOException if it cannot be read
   */
  public RecordedEvents(Path file) throws IOException {
    this.file = file;
    try {
      lines = LineRecordReader.of(ArrivalFile.bytes(file), file.toString());
    } catch (UnreadableFileException damaged) {
      throw new DamagedRecordingException(String.valueOf(damaged.getMessage()), damaged);
    }
  }

  /**
   * Returns the next event; null if there is none.
   *
   * @throws DamagedRecordingException with file and line, if the next line is not an event and not
   *     the truncated end
   * @throws IOException if the file cannot be read
   */
  public @Nullable DecisionEvent next() throws IOException {
    if (!nextLine()) {
      return null;
    }
    DecisionEvent event = DecisionEventCodec.decode(lines.record()).orElse(null);
    if (event == null && lines.ended()) {
      throw new DamagedRecordingException(
          "%s:%d: not a decision event that this program reads".formatted(file, lines.position()));
    }
    if (event == null) {
      cut =
          "%s:%d: the last line has no end and is not an event, so the recording ends before it"
              .formatted(file, lines.position());
    }
    return event;
  }

  private boolean nextLine() throws IOException {
    try {
      return lines.next();
    } catch (UnreadableFileException damaged) {
      if (!damaged.isCutOff()) {
        throw new DamagedRecordingException(String.valueOf(damaged.getMessage()), damaged);
      }
      cut =
          "%s: the gzip data ends too early, so the recording ends behind line %d"
              .formatted(file, lines.position());
      return false;
    }
  }

  /** Returns why the recording ends too early; "" if the part that was read so far does not. */
  public String cut() {
    return cut;
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
