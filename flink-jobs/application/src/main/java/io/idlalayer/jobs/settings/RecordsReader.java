package io.idlalayer.jobs.settings;

import io.idlalayer.jobs.records.AvroFile;
import io.idlalayer.jobs.records.AvroSchemas;
import io.idlalayer.jobs.records.ProtobufSchemas;
import io.idlalayer.jobs.records.RecordSchemas;
import io.idlalayer.jobs.registry.RegistrySettings;
import io.idlalayer.middleware.sample.file.RegularFile;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.InputFiles;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Reads the keys of section {@code input} for the source of the schemas of records. */
final class RecordsReader {
  private static final String OF_RECORDS = "'format: avro' or 'format: protobuf'";
  private static final long FILE_BYTES_MAX = 4 << 20;
  private static final double TIME_LIMIT_SECONDS = 10;
  private static final double MOST_SECONDS = 300;
  private static final double MILLIS = 1_000;

  private final Section input;
  private final @Nullable RegistrySettings registry;
  private boolean registryUsed;

  /**
   * @param input section {@code input}, whose registry is used for events and labels
   */
  RecordsReader(Section input) {
    this.input = input;
    registry = input.has("registry") ? registry(input.section("registry")) : null;
  }

  /**
   * Returns the source of the schemas of events or labels; null if they are not records, or after
   * reporting a problem.
   *
   * @param of section of the events or labels
   */
  @Nullable RecordSchemas read(Section of, ApplicationSettings.Format format) {
    String file = of.file("schema-file");
    String message = of.text("message", "");
    if (!format.ofRecords()) {
      of.idle("schema-file", String.valueOf(file), "", OF_RECORDS);
      of.idle("message", message, "", "'format: protobuf'");
      return null;
    }
    if (file == null || format == ApplicationSettings.Format.AVRO) {
      of.idle("message", message, "", "'format: protobuf' and 'schema-file'");
    }
    if (file != null) {
      return file(of, format, file, message);
    }
    registryUsed = true;
    if (registry == null && !input.has("registry")) {
      of.problem(
          "format",
          "records need 'input.registry', or 'schema-file' if they do not begin with the id of a"
              + " registry's schema");
    }
    return registry == null ? null : new RecordSchemas(registry, null);
  }

  /** Reports a registry that neither events nor labels use. */
  void finish() {
    if (!registryUsed && input.has("registry")) {
      input.problem("registry", "takes effect with " + OF_RECORDS + " and without 'schema-file'");
    }
  }

  private static @Nullable RecordSchemas file(
      Section of, ApplicationSettings.Format format, String path, String message) {
    String text = of.text("schema-file", "");
    try {
      Path file = Path.of(path);
      if (RegularFile.isOther(file)) {
        of.problem(
            "schema-file", of.shown(text, file) + " is a pipe, a socket or a device; name a file");
        return null;
      }
      if (format == ApplicationSettings.Format.AVRO
          && InputFiles.kind(file) == InputFiles.Kind.AVRO) {
        // A file of this kind, which can be compressed, has the schema of its records in its
        // header.
        return AvroFile.of(file).schemas();
      }
      if (Files.size(file) > FILE_BYTES_MAX) {
        of.problem("schema-file", of.shown(text, file) + " is larger than 4 MiB");
        return null;
      }
      RecordSchemas.SchemaFile read =
          new RecordSchemas.SchemaFile(path, Files.readAllBytes(file), message);
      if (format == ApplicationSettings.Format.AVRO) {
        Object unused = AvroSchemas.read(read);
      } else {
        Object unused = ProtobufSchemas.read(read);
      }
      return new RecordSchemas(null, read);
    } catch (UnreadableFileException refused) {
      of.problem("schema-file", String.valueOf(refused.getMessage()));
    } catch (IOException unreadable) {
      of.problem("schema-file", "cannot be read: " + of.reason(text, unreadable));
    } catch (IllegalArgumentException unusable) {
      of.problem("schema-file", of.shown(text) + ": " + unusable.getMessage());
    }
    return null;
  }

  private static @Nullable RegistrySettings registry(Section section) {
    int before = section.problemCount();
    URI url = url(section);
    String user = section.text("user");
    String password = section.text("password");
    if ((user == null) != (password == null)) {
      section.problem(user == null ? "password" : "user", "'user' and 'password' belong together");
    }
    RegistrySettings.Store trust = store(section, "trust-store");
    RegistrySettings.Store own = store(section, "key-store");
    double seconds = section.seconds("time-limit", TIME_LIMIT_SECONDS);
    if (seconds <= 0 || seconds > MOST_SECONDS) {
      section.problem("time-limit", "is not above 0s and at most 300s");
    }
    section.finish();
    return url == null || section.problemCount() > before
        ? null
        : new RegistrySettings(
            url,
            user == null || password == null ? null : new RegistrySettings.Login(user, password),
            trust,
            own,
            Math.max(1, Math.round(MILLIS * seconds)));
  }

  private static @Nullable URI url(Section section) {
    String text = section.required("url");
    if (text.isEmpty()) {
      return null;
    }
    URI url;
    try {
      url = new URI(text.endsWith("/") ? text.substring(0, text.length() - 1) : text);
    } catch (URISyntaxException noAddress) {
      section.problem("url", section.shown(text) + " is not an address");
      return null;
    }
    boolean web = "http".equals(url.getScheme()) || "https".equals(url.getScheme());
    if (!web || url.getHost() == null || url.getQuery() != null || url.getFragment() != null) {
      section.problem(
          "url", section.shown(text) + " is not an address such as https://registry.example:8081");
      return null;
    }
    if (url.getUserInfo() != null) {
      section.problem("url", "has a user: say 'user' and 'password', which are never shown");
      return null;
    }
    return url;
  }

  private static RegistrySettings.@Nullable Store store(Section section, String key) {
    String file = section.file(key);
    String password = section.text(key + "-password");
    if ((file == null) != (password == null)) {
      section.problem(
          file == null ? key + "-password" : key,
          "'%s' and '%s-password' belong together".formatted(key, key));
    }
    return file == null || password == null ? null : new RegistrySettings.Store(file, password);
  }
}
