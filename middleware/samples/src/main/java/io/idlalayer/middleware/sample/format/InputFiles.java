package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.file.PackedFile;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;

/** Opens files of events, and recognizes their kind by their content, not by their names. */
public final class InputFiles {
  private static final int START_BYTES = 4;

  /** Third byte of a file of images. This value means that the numbers of the file are bytes. */
  private static final int IDX_BYTES = 8;

  private InputFiles() {}

  /** Kinds of files of events. */
  public enum Kind {
    /** A text file with one event in each line. */
    LINES,
    /** A file of MNIST images, whose labels are in a second file in the same folder. */
    IDX,
    /** An Avro object container file. */
    AVRO
  }

  /** Returns the kind of a file, by its first bytes. */
  public static Kind kind(Path file) throws IOException {
    try (InputStream in = PackedFile.openAny(file)) {
      byte[] start = start(in);
      if (PackedFile.isAvro(start)) {
        return Kind.AVRO;
      }
      boolean images =
          start.length == START_BYTES && start[0] == 0 && start[1] == 0 && start[2] == IDX_BYTES;
      return images ? Kind.IDX : Kind.LINES;
    }
  }

  private static byte[] start(InputStream in) throws IOException {
    try {
      return in.readNBytes(START_BYTES);
    } catch (UnreadableFileException damaged) {
      // The reader of its lines meets the damage again, and then knows the number of lines.
      return new byte[0];
    }
  }

  /** Opens a reader for a file of images or of text in UTF-8. */
  public static RecordReader read(Path file) throws IOException {
    return read(file, EventEncoding.UTF_8);
  }

  /**
   * Opens a reader for a file of images or text; the labels of an idx file are found by its name.
   *
   * @param encoding encoding of a file of text
   * @throws UnreadableFileException if the file is of another kind
   */
  public static RecordReader read(Path file, EventEncoding encoding) throws IOException {
    return switch (kind(file)) {
      case LINES, AVRO -> LineRecordReader.open(file, encoding);
      case IDX -> IdxPairReader.open(file, IdxPairReader.labelsFor(file));
    };
  }
}
