package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.file.PackedFile;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** Opens files of events, and recognizes their kind by their content, not by their names. */
public final class InputFiles {
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
    try (InputStream in = PackedFile.open(file)) {
      return isIdx(in) ? Kind.IDX : Kind.LINES;
    }
  }

  private static boolean isIdx(InputStream in) throws IOException {
    try {
      byte[] start = in.readNBytes(4);
      return start.length == 4 && start[0] == 0 && start[1] == 0 && start[2] == 8;
    } catch (UnreadableFileException damaged) {
      // The reader of its lines meets it again, and knows how many there are.
      return false;
    }
  }

  /** Opens a reader for a file in any supported format. Text is read as UTF-8. */
  public static RecordReader read(Path file) throws IOException {
    return read(file, EventEncoding.UTF_8);
  }

  /**
   * Opens a reader for a file of any kind; the labels of an idx file are found by its name.
   *
   * @param encoding encoding of a file of text
   */
  public static RecordReader read(Path file, EventEncoding encoding) throws IOException {
    return switch (kind(file)) {
      case LINES -> LineRecordReader.open(file, encoding);
      case IDX -> IdxPairReader.open(file, IdxPairReader.labelsFor(file));
    };
  }
}
