package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.middleware.sample.text.CsvRow;
import io.idlalayer.middleware.sample.text.LookAlikes;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Compares the header of a CSV file with the columns of its application. */
final class HeaderCheck {
  private static final int SHOWN_CHARACTERS = 60;

  private HeaderCheck() {}

  /**
   * Reads and checks the header, which is split in the same way as rows. Spaces around names are
   * ignored. A column without a name in the application is not used, and can have any name in the
   * header.
   *
   * @throws IOException with the first column that differs
   */
  static void pass(Path file, RecordReader rows, ApplicationSettings.Input input)
      throws IOException {
    String delimiter = input.text().delimiter();
    String header = next(file, rows, input);
    List<String> expected = input.schema().columns();
    List<String> found;
    try {
      found = CsvRow.fields(header, delimiter);
    } catch (MalformedSampleException broken) {
      throw new IOException(
          "the header of %s cannot be read: %s: %s"
              .formatted(file, broken.getMessage(), Shown.of(header, SHOWN_CHARACTERS)),
          broken);
    }
    for (int i = 0; i < Math.min(found.size(), expected.size()); i++) {
      String name = expected.get(i).strip();
      if (!name.isEmpty() && !found.get(i).strip().equals(name)) {
        throw new IOException(
            "the header of %s differs from input.columns: column %d: found %s, expected %s%s%s%s"
                .formatted(
                    file,
                    i + 1,
                    Shown.of(found.get(i), SHOWN_CHARACTERS),
                    Shown.of(expected.get(i), SHOWN_CHARACTERS),
                    LookAlikes.note(found.get(i).strip(), name),
                    cause(header, found, delimiter, expected.size()),
                    rowInstead(found.get(i), input)));
      }
    }
    if (found.size() != expected.size()) {
      boolean more = found.size() > expected.size();
      throw new IOException(
          "the header of %s differs from input.columns: it has %d columns, and %d are expected; the first %s is %s"
              .formatted(
                  file,
                  found.size(),
                  expected.size(),
                  more ? "that is too much" : "that is missing",
                  more
                      ? Shown.of(found.get(expected.size()), SHOWN_CHARACTERS)
                      : Shown.of(expected.get(found.size()), SHOWN_CHARACTERS)));
    }
  }

  private static String next(Path file, RecordReader rows, ApplicationSettings.Input input)
      throws IOException {
    if (!rows.next()) {
      throw new IOException(file + " is empty; a header line is expected (input.header is true)");
    }
    try {
      return input.text().eventEncoding().text(rows.record());
    } catch (MalformedSampleException notText) {
      throw new IOException("the header of %s: %s".formatted(file, notText.getMessage()), notText);
    }
  }

  /**
   * Returns a hint if the found name is a number, because a number is rarely the name of a column.
   */
  private static String rowInstead(String found, ApplicationSettings.Input input) {
    return Double.isNaN(input.text().notation().read(found))
        ? ""
        : "; if the file has no header, say 'header: false'";
  }

  /** Returns a likely cause if the whole header differs, as the end of a sentence. */
  private static String cause(
      String header, List<String> found, String delimiter, int expectedCount) {
    if (found.size() == expectedCount) {
      return "";
    }
    boolean wrapped = found.size() == 1 && header.startsWith("\"");
    if (wrapped && found.get(0).contains(delimiter)) {
      return "; the line is one field in quotes, with the names inside: unwrap the rows of the"
          + " file";
    }
    String other = CsvRow.otherDelimiter(header, delimiter, expectedCount);
    return other == null
        ? "; it has %d columns, and %d are expected".formatted(found.size(), expectedCount)
        : "; with input.delimiter %s it has %d columns".formatted(Shown.of(other), expectedCount);
  }
}
