package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.DecisionEventCodec;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A file with the events of the decision topic, one JSON object per line. Events of type STATUS are
 * omitted. Confined to one thread.
 */
public final class DecisionFile implements AutoCloseable {
  private final Path file;
  private final OutputStream out;

  /**
   * Creates a file; an existing file is replaced.
   *
   * @throws IOException if the file cannot be written
   */
  public DecisionFile(Path file) throws IOException {
    this.file = file;
    Path parent = file.toAbsolutePath().getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    out = new BufferedOutputStream(Files.newOutputStream(file));
  }

  /** Writes an event to the file. */
  public void add(DecisionEvent event) {
    if (event.type() == DecisionEvent.Type.STATUS) {
      return;
    }
    try {
      out.write(DecisionEventCodec.encode(event));
      out.write('\n');
      out.flush();
    } catch (IOException full) {
      throw new java.io.UncheckedIOException(
          "the decision log " + file + " cannot be written: " + full.getMessage(), full);
    }
  }

  @Override
  public void close() throws IOException {
    out.close();
  }
}
