package io.idlalayer.jobs.produce;

import io.idlalayer.jobs.records.AvroFile;
import io.idlalayer.jobs.records.RecordSchemas;
import io.idlalayer.jobs.registry.RegistrySettings;
import io.idlalayer.jobs.registry.RegistryUnavailableException;
import io.idlalayer.jobs.registry.SchemaRegistry;
import io.idlalayer.jobs.registry.UnknownSchemaException;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Opens an Avro object container file as events that the job can read: bare records if all events
 * have the schema of a file, otherwise with the id that the registry has for the schema of the
 * file.
 */
final class AvroInput {
  private static final int PREFIX_BYTES = 1 + Integer.BYTES;

  private AvroInput() {}

  /**
   * @throws UnreadableFileException if the file cannot be read, or the job could not read its
   *     records
   * @throws IOException if the file or the registry does not answer
   */
  static RecordReader open(Path file, ApplicationSettings.Input input) throws IOException {
    AvroFile records = AvroFile.of(file);
    RecordSchemas schemas = Objects.requireNonNull(input.schemas(), "records without schemas");
    RecordSchemas.SchemaFile all = schemas.file();
    if (all != null) {
      records.require(all);
      return records.open(new byte[0]);
    }
    RegistrySettings registry = Objects.requireNonNull(schemas.registry());
    int id = id(file, records, new SchemaRegistry(registry), input.eventTopics());
    return records.open(ByteBuffer.allocate(PREFIX_BYTES).putInt(1, id).array());
  }

  /** Looks for the schema under the subjects that producers use by default. */
  private static int id(Path file, AvroFile records, SchemaRegistry registry, List<String> topics)
      throws IOException {
    List<String> subjects = new ArrayList<>();
    topics.forEach(topic -> subjects.add(topic + "-value"));
    subjects.add(records.recordName());
    topics.forEach(topic -> subjects.add(topic + "-" + records.recordName()));
    try {
      for (String subject : subjects) {
        try {
          return registry.idOf(subject, records.text());
        } catch (UnknownSchemaException notThere) {
          // The schema is possibly under the next subject.
        }
      }
    } catch (RegistryUnavailableException silent) {
      throw new IOException("%s cannot be sent: %s".formatted(file, silent.problem()), silent);
    }
    throw new UnreadableFileException(
        "%s cannot be sent: its schema is not in the registry of input.registry, under none of the subjects %s; register the schema of the file (avro-tools getschema prints it) under one of them"
            .formatted(file, String.join(", ", subjects)));
  }
}
