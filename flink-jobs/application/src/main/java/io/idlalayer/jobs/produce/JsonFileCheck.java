package io.idlalayer.jobs.produce;

import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * Refuses JSON files that are one value over many lines, or one list of events: each of their lines
 * would be a malformed event.
 */
public final class JsonFileCheck {
  private JsonFileCheck() {}

  /**
   * Looks at the first two lines of a file.
   *
   * @throws IOException if the file has such a form; the message says which form it is and how to
   *     write the file
   */
  public static void check(Path file, EventEncoding encoding) throws IOException {
    String first;
    String second;
    try (LineRecordReader lines = LineRecordReader.open(file, encoding)) {
      first = next(lines);
      second = next(lines);
    }
    boolean open = first.startsWith("[") && !first.endsWith("]");
    boolean list = first.startsWith("[") && first.substring(1).strip().startsWith("{");
    if (open || list) {
      throw new IOException(
          "%s is one JSON array; one event a line is expected (jq -c '.[]' writes it so)"
              .formatted(file));
    }
    boolean goesOn = first.startsWith("{") && !first.endsWith("}");
    if (goesOn && !second.isEmpty() && !second.startsWith("{")) {
      throw new IOException(
          "%s has JSON events over several lines; one event a line is expected (jq -c . writes it so)"
              .formatted(file));
    }
  }

  private static String next(LineRecordReader lines) throws IOException {
    return lines.next() ? new String(lines.record(), StandardCharsets.ISO_8859_1).strip() : "";
  }
}
