package io.idlalayer.benchmarks.campaign.input;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;
import org.jspecify.annotations.Nullable;

/**
 * Reads an input file as the page on formats says, without regard to speed or memory. It reads
 * files that a run accepts; which files are refused, it does not know.
 */
public final class ReferenceReader {
  private static final int LINES_MAX = 1_000;
  private static final char MARK = '\ufeff';

  private final InputSettings settings;
  private final FieldReader fields;

  public ReferenceReader(InputSettings settings) {
    this.settings = settings;
    fields = new FieldReader(settings);
  }

  /**
   * Reads the events of a file, in their order.
   *
   * @param file its bytes
   */
  public List<Reading> read(byte[] file) throws IOException {
    byte[] content = withoutMark(inEventEncoding(unpacked(file)));
    List<byte[]> records = settings.json() ? lines(content) : rows(lines(content));
    if (!settings.json() && settings.header() && !records.isEmpty()) {
      records = records.subList(1, records.size());
    }
    List<Reading> readings = new ArrayList<>();
    for (byte[] record : records) {
      readings.add(reading(record));
    }
    return readings;
  }

  private Reading reading(byte[] record) {
    if (record.length > settings.eventBytesMax()) {
      return Reading.refused(Refusal.TOO_LONG);
    }
    String text = text(record);
    if (text == null) {
      return Reading.refused(Refusal.ENCODING);
    }
    if (!text.isEmpty() && text.charAt(0) == MARK) {
      text = text.substring(1);
    }
    try {
      return settings.json() ? new JsonEvent(settings, text).read(fields) : row(text);
    } catch (RefusedEvent refused) {
      return Reading.refused(refused.why());
    }
  }

  private Reading row(String text) throws RefusedEvent {
    List<String> found = split(text, settings.delimiter());
    if (found.size() != settings.columns().size()) {
      throw new RefusedEvent(Refusal.FIELDS);
    }
    return fields.read(name -> found.get(settings.columns().indexOf(name)));
  }

  private static byte[] unpacked(byte[] file) throws IOException {
    if (file.length > 2 && file[0] == 0x1f && file[1] == (byte) 0x8b) {
      try (InputStream in = new GZIPInputStream(new ByteArrayInputStream(file))) {
        return in.readAllBytes();
      }
    }
    if (file.length > 4 && file[0] == 'P' && file[1] == 'K' && file[2] == 3) {
      try (ZipInputStream in = new ZipInputStream(new ByteArrayInputStream(file))) {
        in.getNextEntry();
        return in.readAllBytes();
      }
    }
    return file;
  }

  /** Returns the bytes of a file as its events are sent: those of UTF-16 in UTF-8. */
  private byte[] inEventEncoding(byte[] file) {
    boolean little = file.length > 1 && file[0] == (byte) 0xff && file[1] == (byte) 0xfe;
    boolean big = file.length > 1 && file[0] == (byte) 0xfe && file[1] == (byte) 0xff;
    String encoding = settings.encoding();
    if (little || encoding.equals("utf-16le")) {
      return new String(file, StandardCharsets.UTF_16LE).getBytes(StandardCharsets.UTF_8);
    }
    if (big || encoding.startsWith("utf-16")) {
      return new String(file, StandardCharsets.UTF_16BE).getBytes(StandardCharsets.UTF_8);
    }
    return file;
  }

  private static byte[] withoutMark(byte[] file) {
    boolean mark =
        file.length > 2
            && file[0] == (byte) 0xef
            && file[1] == (byte) 0xbb
            && file[2] == (byte) 0xbf;
    return mark ? Arrays.copyOfRange(file, 3, file.length) : file;
  }

  private Charset eventEncoding() {
    return settings.encoding().startsWith("utf-16")
        ? StandardCharsets.UTF_8
        : Charset.forName(settings.encoding());
  }

  private @Nullable String text(byte[] record) {
    try {
      return eventEncoding().newDecoder().decode(ByteBuffer.wrap(record)).toString();
    } catch (CharacterCodingException otherEncoding) {
      return null;
    }
  }

  /** Returns the lines that are not blank; for CSV also the blank ones, which may be in quotes. */
  private List<byte[]> lines(byte[] content) {
    byte end = '\r';
    for (byte each : content) {
      end = each == '\n' ? each : end;
    }
    List<byte[]> lines = new ArrayList<>();
    int begin = 0;
    for (int at = 0; at <= content.length; at++) {
      boolean last = at == content.length;
      if (last ? begin < at : content[at] == end) {
        byte[] line = Arrays.copyOfRange(content, begin, at);
        boolean returned = line.length > 0 && line[line.length - 1] == '\r';
        line = returned ? Arrays.copyOf(line, line.length - 1) : line;
        if (!settings.json() || !blank(line)) {
          lines.add(line);
        }
        begin = at + 1;
      }
    }
    return lines;
  }

  private static boolean blank(byte[] line) {
    for (byte each : line) {
      if (each != ' ' && each != '\t') {
        return false;
      }
    }
    return true;
  }

  private List<byte[]> rows(List<byte[]> lines) {
    List<byte[]> rows = new ArrayList<>();
    int at = 0;
    while (at < lines.size()) {
      byte[] row = lines.get(at);
      int taken = 1;
      if (!blank(row)) {
        byte[] joined = joined(lines, at);
        if (joined.length > 0) {
          taken = (int) count(joined) + 1;
          row = joined;
        }
        boolean separatorLine =
            rows.isEmpty() && new String(row, StandardCharsets.ISO_8859_1).startsWith("sep=");
        if (!separatorLine) {
          rows.add(row);
        }
      }
      at += taken;
    }
    return rows;
  }

  private static long count(byte[] joined) {
    long ends = 0;
    for (byte each : joined) {
      ends += each == '\n' ? 1 : 0;
    }
    return ends;
  }

  /** Returns a row of several lines; nothing if the line is a row of its own. */
  private byte[] joined(List<byte[]> lines, int first) {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    int last = Math.min(lines.size(), first + LINES_MAX + 1);
    for (int at = first; at < last; at++) {
      all.writeBytes(lines.get(at));
      String text = all.toString(StandardCharsets.ISO_8859_1);
      try {
        boolean whole = split(text, bytesOfDelimiter()).size() == settings.columns().size();
        return whole && at > first ? all.toByteArray() : new byte[0];
      } catch (RefusedEvent open) {
        if (open.why() != Refusal.QUOTES || !openQuote(text)) {
          return new byte[0];
        }
      }
      all.write('\n');
      if (all.size() > settings.eventBytesMax()) {
        return new byte[0];
      }
    }
    return new byte[0];
  }

  private String bytesOfDelimiter() {
    return new String(settings.delimiter().getBytes(eventEncoding()), StandardCharsets.ISO_8859_1);
  }

  private boolean openQuote(String text) {
    try {
      // With its quote closed, a row that ends inside of quotes can be split.
      split(text + "\"", bytesOfDelimiter());
      return true;
    } catch (RefusedEvent otherFault) {
      return false;
    }
  }

  /** Splits a row into its fields. */
  static List<String> split(String row, String delimiter) throws RefusedEvent {
    List<String> fields = new ArrayList<>();
    int at = 0;
    while (true) {
      if (at < row.length() && row.charAt(at) == '"') {
        StringBuilder field = new StringBuilder();
        at = quoted(row, at + 1, field);
        fields.add(field.toString());
        if (at < row.length() && !row.startsWith(delimiter, at)) {
          throw new RefusedEvent(Refusal.QUOTES);
        }
      } else {
        int end = row.indexOf(delimiter, at);
        end = end < 0 ? row.length() : end;
        fields.add(row.substring(at, end));
        at = end;
      }
      if (at >= row.length()) {
        return fields;
      }
      at += delimiter.length();
    }
  }

  /** Reads a field in quotes and returns the place after its last one. */
  private static int quoted(String row, int begin, StringBuilder field) throws RefusedEvent {
    int at = begin;
    while (true) {
      int quote = row.indexOf('"', at);
      if (quote < 0) {
        throw new RefusedEvent(Refusal.QUOTES);
      }
      field.append(row, at, quote);
      if (!row.startsWith("\"\"", quote)) {
        return quote + 1;
      }
      field.append('"');
      at = quote + 2;
    }
  }
}
