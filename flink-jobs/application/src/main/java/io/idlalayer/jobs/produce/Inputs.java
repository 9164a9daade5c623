package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/** Opens an input file as the events of an application. */
public final class Inputs {
  private Inputs() {}

  /**
   * Opens a file of the application's format as a reader of its records, after its header line.
   *
   * @throws IOException with the reason if it does not match
   */
  public static RecordReader open(Path file, ApplicationSettings application) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException("input file " + file + " does not exist or is no file");
    }
    ApplicationSettings.Input input = application.input();
    boolean binary = input.format() == ApplicationSettings.Format.BINARY;
    InputFiles.Kind kind = InputFiles.kind(file);
    if (binary != (kind == InputFiles.Kind.IDX)) {
      throw new IOException(
          "%s holds %s, but %s takes input.format %s"
              .formatted(
                  file,
                  kind == InputFiles.Kind.IDX ? "idx images (format binary)" : "lines of text",
                  application.name(),
                  input.format().name().toLowerCase(java.util.Locale.ROOT)));
    }
    RecordReader reader = InputFiles.read(file);
    if (reader instanceof LineRecordReader lines && input.header()) {
      skipHeader(file, lines, input);
    }
    return reader;
  }

  private static void skipHeader(Path file, LineRecordReader lines, ApplicationSettings.Input input)
      throws IOException {
    if (!lines.next()) {
      throw new IOException(file + " is empty; a header line is expected (input.header is true)");
    }
    String separator = Pattern.quote(String.valueOf(input.delimiter()));
    List<String> found =
        Arrays.stream(lines.text().split(separator, -1))
            .map(name -> name.trim().replaceAll("^\"|\"$", ""))
            .toList();
    if (!found.equals(input.schema().columns())) {
      throw new IOException(
          "the header of %s is %s, but input.columns is %s"
              .formatted(file, found, input.schema().columns()));
    }
  }
}
