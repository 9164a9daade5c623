package io.idlalayer.middleware.sample.format;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;

/** Opens files of events, and recognizes their kind by their content, not by their names. */
public final class InputFiles {
  private static final int GZIP_MAGIC = 0x1f8b;
  private static final int BUFFER_BYTES = 1 << 16;

  private InputFiles() {}

  /** Kinds of files of events. */
  public enum Kind {
    /** A text file with one event in each line. */
    LINES,
    /** A file of MNIST images, whose labels are in a second file beside it. */
    IDX
  }

  /** Returns the kind of a file, by its first bytes. */
  public static Kind kind(Path file) throws IOException {
    try (InputStream in = open(file)) {
      byte[] start = in.readNBytes(4);
      boolean idx = start.length == 4 && start[0] == 0 && start[1] == 0 && start[2] == 8;
      return idx ? Kind.IDX : Kind.LINES;
    }
  }

  /** Opens a reader for a file of any kind; the labels of an idx file are found by its name. */
  public static RecordReader read(Path file) throws IOException {
    return switch (kind(file)) {
      case LINES -> LineRecordReader.open(file);
      case IDX -> IdxPairReader.open(file, IdxPairReader.labelsFor(file));
    };
  }

  /** Opens a plain or gzip file and returns its unpacked bytes. */
  static InputStream open(Path file) throws IOException {
    InputStream raw = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
    raw.mark(2);
    int magic = raw.read() << 8 | raw.read();
    raw.reset();
    if (magic != GZIP_MAGIC) {
      return raw;
    }
    try {
      return new GZIPInputStream(raw, BUFFER_BYTES);
    } catch (IOException damaged) {
      raw.close();
      throw new IOException(file + " starts like gzip but is damaged: " + damaged.getMessage());
    }
  }
}
