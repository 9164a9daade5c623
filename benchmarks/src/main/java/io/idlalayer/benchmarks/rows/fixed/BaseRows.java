package io.idlalayer.benchmarks.rows.fixed;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * All rows of a table, in a mapped file or on the heap; in pieces, because a buffer has an int for
 * its length. A row never lies in two pieces. Rows may be read by many threads at once; a row may
 * be written by one that nobody reads meanwhile.
 */
public final class BaseRows {
  /** Rows begin at multiples of this many bytes: a line of the processor's cache. */
  static final int ALIGN_BYTES = 64;

  private static final long PIECE_BYTES = 1L << 30;

  private final int rows;
  private final int dim;
  private final int stride;
  private final int pieceRows;
  private final FloatBuffer[] pieces;
  private final RowMedium medium;

  private BaseRows(BaseRows other, RowMedium medium) {
    rows = other.rows;
    dim = other.dim;
    stride = other.stride;
    pieceRows = other.pieceRows;
    pieces = other.pieces;
    this.medium = medium;
  }

  private BaseRows(int rows, int dim, int alignBytes) {
    if (rows < 1 || dim < 1) {
      throw new IllegalArgumentException("a table of %d rows x %d floats".formatted(rows, dim));
    }
    this.rows = rows;
    this.dim = dim;
    long bytes = ((long) dim * Float.BYTES + alignBytes - 1) / alignBytes * alignBytes;
    stride = Math.toIntExact(bytes / Float.BYTES);
    pieceRows = Math.toIntExact(Math.max(1, PIECE_BYTES / bytes));
    pieces = new FloatBuffer[(rows - 1) / pieceRows + 1];
    medium = RowMedium.DRAM;
  }

  /** Rows of zeros on the heap. */
  public static BaseRows heap(int rows, int dim) {
    return heap(rows, dim, ALIGN_BYTES);
  }

  static BaseRows heap(int rows, int dim, int alignBytes) {
    BaseRows made = new BaseRows(rows, dim, alignBytes);
    for (int i = 0; i < made.pieces.length; i++) {
      made.pieces[i] = FloatBuffer.allocate(made.rowsOfPiece(i) * made.stride);
    }
    return made;
  }

  /**
   * Rows of zeros in a new file, or those that a file has, little endian. The maps are given back
   * when the rows are collected as garbage.
   *
   * @throws IOException if the file cannot be opened, grown or mapped
   */
  public static BaseRows mapped(Path file, int rows, int dim) throws IOException {
    BaseRows made = new BaseRows(rows, dim, ALIGN_BYTES);
    boolean there = Files.exists(file);
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      if (there && channel.size() != rows * made.rowBytes()) {
        throw new IOException(
            "%s has %d bytes instead of %d"
                .formatted(file, channel.size(), rows * made.rowBytes()));
      }
      for (int i = 0; i < made.pieces.length; i++) {
        long from = (long) i * made.pieceRows * made.rowBytes();
        made.pieces[i] =
            channel
                .map(FileChannel.MapMode.READ_WRITE, from, made.rowsOfPiece(i) * made.rowBytes())
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer();
      }
    }
    return made;
  }

  /** The same rows, whose accesses a medium hears of. */
  public BaseRows on(RowMedium other) {
    return new BaseRows(this, other);
  }

  private int rowsOfPiece(int piece) {
    return Math.min(pieceRows, rows - piece * pieceRows);
  }

  public int rows() {
    return rows;
  }

  /** Floats of a row that count. */
  public int dim() {
    return dim;
  }

  /** Floats of a row with padding. */
  int stride() {
    return stride;
  }

  /** Bytes of a row with padding. */
  public long rowBytes() {
    return (long) stride * Float.BYTES;
  }

  /** Waits until the medium has done all accesses. */
  void settle() {
    medium.settle();
  }

  /** Copies a row without its padding. */
  void read(int row, float[] to, int at) {
    pieces[row / pieceRows].get(row % pieceRows * stride, to, at, dim);
    medium.hasRead();
  }

  /** Overwrites a row; no table may have copied it before. */
  public void write(int row, float[] from, int at) {
    pieces[row / pieceRows].put(row % pieceRows * stride, from, at, dim);
    medium.hasWritten();
  }
}
