package io.idlalayer.middleware.sample.format;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads the rows of a CSV file, in which fields in quotes can contain line breaks. Lines are joined
 * to a row only if the row then has the expected number of fields. Otherwise each line is a
 * separate row, so a stray quote spoils only its line and not the rest of the file. A first line
 * {@code sep=;}, which Excel writes to name the delimiter, is skipped.
 */
public final class CsvRecordReader implements RecordReader {
  private static final int LINES_MAX = 1_000;

  private final LineRecordReader lines;
  private final EventEncoding encoding;
  private final byte[] delimiter;
  private final byte[] separatorLine;
  private final CsvRow row;
  private final int columns;
  private final int bytesMax;
  private final List<Line> read = new ArrayList<>();
  private Line current = new Line(new byte[0], 0);
  private boolean begun;

  private record Line(byte[] bytes, long number) {}

  /**
   * Creates a reader.
   *
   * @param columns expected number of fields
   * @param bytesMax largest length of a row of joined lines, in bytes
   */
  public CsvRecordReader(LineRecordReader lines, TextForm form, int columns, int bytesMax) {
    this.lines = lines;
    encoding = form.eventEncoding();
    delimiter = form.delimiter().getBytes(encoding.ofEvents());
    separatorLine = ("sep=" + form.delimiter()).getBytes(encoding.ofEvents());
    row = new CsvRow(form.delimiter(), columns);
    this.columns = columns;
    this.bytesMax = bytesMax;
  }

  @Override
  public boolean next() throws IOException {
    for (Line line = take(); line != null; line = take()) {
      if (LineRecordReader.blank(line.bytes(), line.bytes().length)) {
        continue;
      }
      boolean passedOver = !begun && Arrays.equals(line.bytes(), separatorLine);
      begun = true;
      if (!passedOver) {
        current = joined(line);
        return true;
      }
    }
    current = new Line(new byte[0], 0);
    return false;
  }

  private @Nullable Line take() throws IOException {
    return read.isEmpty() ? fresh() : read.remove(0);
  }

  private @Nullable Line fresh() throws IOException {
    return lines.nextLine() ? new Line(lines.record(), lines.position()) : null;
  }

  /**
   * Returns a line joined with the following lines of its row, or unchanged if the row ends with
   * the line.
   */
  private Line joined(Line first) throws IOException {
    if (!anyQuote(first.bytes()) || !endsInQuotes(first.bytes(), false)) {
      return first;
    }
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(first.bytes());
    int taken = 0;
    while (taken < LINES_MAX) {
      Line line = line(taken);
      if (line == null || all.size() + 1 + line.bytes().length > bytesMax) {
        return first;
      }
      taken++;
      all.write('\n');
      all.writeBytes(line.bytes());
      if (!endsInQuotes(line.bytes(), true)) {
        byte[] joined = all.toByteArray();
        if (!whole(joined)) {
          return first;
        }
        read.subList(0, taken).clear();
        return new Line(joined, first.number());
      }
    }
    return first;
  }

  /** Returns one of the lines after the present line, without consuming it. */
  private @Nullable Line line(int index) throws IOException {
    if (index == read.size()) {
      Line line = fresh();
      if (line == null) {
        return null;
      }
      read.add(line);
    }
    return read.get(index);
  }

  private boolean whole(byte[] bytes) {
    try {
      return row.split(encoding.text(bytes)) == columns;
    } catch (MalformedSampleException noRow) {
      return false;
    }
  }

  /**
   * Returns whether a line ends inside of quotes.
   *
   * @param quoted whether the line begins inside of quotes
   */
  private boolean endsInQuotes(byte[] line, boolean quoted) {
    boolean inside = quoted;
    boolean begins = !quoted;
    int at = 0;
    while (at < line.length) {
      if (inside) {
        boolean doubled = line[at] == '"' && at + 1 < line.length && line[at + 1] == '"';
        inside = line[at] != '"' || doubled;
        at += doubled ? 2 : 1;
      } else if (begins && line[at] == '"') {
        inside = true;
        begins = false;
        at++;
      } else {
        begins = delimited(line, at);
        at += begins ? delimiter.length : 1;
      }
    }
    return inside;
  }

  private boolean delimited(byte[] line, int at) {
    int end = at + delimiter.length;
    return line[at] == delimiter[0]
        && end <= line.length
        && Arrays.equals(line, at, end, delimiter, 0, delimiter.length);
  }

  private static boolean anyQuote(byte[] line) {
    for (byte each : line) {
      if (each == '"') {
        return true;
      }
    }
    return false;
  }

  @Override
  public byte[] record() {
    return current.bytes();
  }

  @Override
  public long position() {
    return current.number();
  }

  @Override
  public String place() {
    return "line " + position();
  }

  @Override
  public void close() throws IOException {
    lines.close();
  }
}
