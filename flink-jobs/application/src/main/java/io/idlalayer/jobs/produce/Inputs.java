package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.records.AvroFile;
import io.idlalayer.jobs.records.RecordSchemas;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.format.CsvRecordReader;
import io.idlalayer.middleware.sample.format.InputFiles;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/** Opens an input file as the events of an application. */
public final class Inputs {
  private Inputs() {}

  /**
   * Opens a file of the application's format as a reader of its records, after its header line.
   *
   * @throws IOException with the reason if the file does not match the application
   */
  public static RecordReader open(Path file, ApplicationSettings application) throws IOException {
    check(file);
    ApplicationSettings.Input input = application.input();
    if (input.format() == ApplicationSettings.Format.PROTOBUF) {
      throw new IOException(
          "%s has input.format protobuf, and such events are sent by their producers: files hold JSON, CSV, Criteo rows, images or Avro records"
              .formatted(application.name()));
    }
    InputFiles.Kind kind = InputFiles.kind(file);
    if (kind != kind(input.format())) {
      throw new IOException(
          "%s holds %s, but %s takes input.format %s"
              .formatted(
                  file,
                  described(kind),
                  application.name(),
                  input.format().name().toLowerCase(Locale.ROOT)));
    }
    return switch (kind) {
      case IDX -> InputFiles.read(file);
      case AVRO -> AvroInput.open(file, input);
      case LINES -> text(file, input);
    };
  }

  /**
   * Returns the settings for reading a file that is not sent. Avro records whose schemas come from
   * a registry are then read with the schema in the header of their file, so the registry is not
   * asked.
   *
   * @throws IOException if the file cannot be read
   */
  public static ApplicationSettings toRead(Path file, ApplicationSettings application)
      throws IOException {
    RecordSchemas schemas = application.input().schemas();
    boolean byRegistry =
        application.input().format() == ApplicationSettings.Format.AVRO
            && schemas != null
            && schemas.registry() != null;
    return byRegistry && Files.isRegularFile(file) && InputFiles.kind(file) == InputFiles.Kind.AVRO
        ? application.with(AvroFile.of(file).schemas())
        : application;
  }

  /** Returns the kind of files that hold events of a format. */
  private static InputFiles.Kind kind(ApplicationSettings.Format format) {
    return switch (format) {
      case BINARY -> InputFiles.Kind.IDX;
      case AVRO -> InputFiles.Kind.AVRO;
      default -> InputFiles.Kind.LINES;
    };
  }

  private static String described(InputFiles.Kind kind) {
    return switch (kind) {
      case IDX -> "idx images (format binary)";
      case AVRO -> "Avro records (format avro)";
      case LINES -> "lines of text";
    };
  }

  private static RecordReader text(Path file, ApplicationSettings.Input input) throws IOException {
    if (input.format() == ApplicationSettings.Format.JSON) {
      JsonFileCheck.check(file, input.text().eventEncoding());
    }
    LineRecordReader lines = LineRecordReader.open(file, input.text().eventEncoding());
    if (input.format() != ApplicationSettings.Format.CSV) {
      return lines;
    }
    RecordReader rows =
        new CsvRecordReader(
            lines, input.text(), input.schema().columns().size(), input.maxEventBytes());
    if (input.header()) {
      try {
        HeaderCheck.pass(file, rows, input);
      } catch (IOException refused) {
        rows.close();
        throw refused;
      }
    }
    return rows;
  }

  /**
   * Checks that a file can be an input.
   *
   * @throws IOException if it does not exist, is a folder or a pipe, or this process is not allowed
   *     to read it
   */
  static void check(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw new IOException(
          Files.exists(file)
              ? "input file " + file + " is a folder or a pipe, which is not read"
              : "input file " + file + " does not exist");
    }
    if (!Files.isReadable(file)) {
      throw new IOException("input file " + file + " cannot be read: this user may not read it");
    }
  }
}
