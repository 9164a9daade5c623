package io.idlalayer.jobs.replay;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Events in a file, one JSON object a line, plain or gzip. A last line that is written by half ends
 * them: the writer was killed, its disk was full, or it still writes. Confined to one thread.
 */
public final class RecordedEvents implements AutoCloseable {
  private final Path file;
  private final InputStream in;
  private final byte[] buffer = new byte[1 << 16];
  private int from;
  private int to;
  private long line;
  private boolean lineEnded;
  private String cut = "";

  /**
   * Opens a file.
   *
   * @throws DamagedRecordingException if it begins like gzip and is none
   * @throws IOException if it cannot be read
   */
  public RecordedEvents(Path file) throws IOException {
    this.file = file;
    try {
      in = ArrivalFile.bytes(file);
    } catch (EOFException | ZipException none) {
      throw new DamagedRecordingException(file + ": damaged gzip data: " + none.getMessage(), none);
    }
  }

  /**
   * The next event; null if there is none.
   *
   * @throws DamagedRecordingException with file and line, if that is no event and not the cut end
   * @throws IOException if the file cannot be read
   */
  public @Nullable DecisionEvent next() throws IOException {
    for (byte[] text = line(); text != null; text = line()) {
      line++;
      if (isBlank(text)) {
        continue;
      }
      DecisionEvent event = DecisionEventCodec.decode(text).orElse(null);
      if (event != null) {
        return event;
      }
      if (lineEnded) {
        throw new DamagedRecordingException(
            "%s:%d: not a decision event that this program reads".formatted(file, line));
      }
      cut =
          "%s:%d: the last line has no end and is no event, so the recording ends before it"
              .formatted(file, line);
    }
    return null;
  }

  /** Why the recording ends earlier than it was meant to; "" if it does not, or not yet. */
  public String cut() {
    return cut;
  }

  private static boolean isBlank(byte[] text) {
    for (byte each : text) {
      if (each != ' ' && each != '\t' && each != '\r') {
        return false;
      }
    }
    return true;
  }

  /** The next line without its end; null behind the last one. */
  private byte @Nullable [] line() throws IOException {
    ByteArrayOutputStream text = new ByteArrayOutputStream();
    lineEnded = false;
    while (from < to || fill()) {
      int begin = from;
      while (from < to && buffer[from] != '\n') {
        from++;
      }
      text.write(buffer, begin, from - begin);
      if (from < to) {
        from++;
        lineEnded = true;
        return text.toByteArray();
      }
    }
    return text.size() == 0 ? null : text.toByteArray();
  }

  private boolean fill() throws IOException {
    from = 0;
    to = 0;
    try {
      to = Math.max(0, in.read(buffer));
    } catch (EOFException early) {
      cut =
          "%s: the gzip data ends too early, so the recording ends behind line %d"
              .formatted(file, line);
    } catch (ZipException damaged) {
      throw new DamagedRecordingException(
          "%s:%d: damaged gzip data: %s".formatted(file, line + 1, damaged.getMessage()), damaged);
    }
    return to > 0;
  }

  @Override
  public void close() throws IOException {
    in.close();
  }
}
