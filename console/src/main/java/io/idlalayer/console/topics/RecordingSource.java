package io.idlalayer.console.topics;

import io.idlalayer.jobs.replay.DamagedRecordingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.function.LongSupplier;

/**
 * The source of feeds from a file of recorded events. A damaged file is read again when it has
 * changed.
 */
public final class RecordingSource implements EventFeed.Source {
  private final Path file;
  private final double speed;
  private final LongSupplier nanoClock;
  private String opened = "";

  /**
   * @param speed factor by which the replay is faster than the recording; 0 if all events count as
   *     past events
   * @param nanoClock a monotonic clock
   */
  public RecordingSource(Path file, double speed, LongSupplier nanoClock) {
    this.file = file;
    this.speed = speed;
    this.nanoClock = nanoClock;
  }

  @Override
  public EventFeed open() throws IOException {
    opened = state();
    return new RecordingFeed(file, speed, nanoClock);
  }

  @Override
  public boolean mayGoBetter(Throwable failed) {
    return !(failed instanceof DamagedRecordingException) || !opened.equals(state());
  }

  private String state() {
    try {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return now.size() + " bytes of " + now.lastModifiedTime();
    } catch (IOException none) {
      return "not there";
    }
  }
}
