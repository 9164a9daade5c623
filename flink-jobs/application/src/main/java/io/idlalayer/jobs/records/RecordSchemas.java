package io.idlalayer.jobs.records;

import io.idlalayer.jobs.registry.RegistrySettings;
import java.io.Serializable;
import org.jspecify.annotations.Nullable;

/**
 * The source of the schemas of Avro and Protobuf records. The source is either a registry, with
 * each record beginning with the id of its schema, or a file with the schema of all records.
 *
 * @param registry the registry; null if the schema is in a file
 * @param file the schema of all records; null if schemas come from a registry
 */
public record RecordSchemas(@Nullable RegistrySettings registry, @Nullable SchemaFile file)
    implements Serializable {
  public RecordSchemas {
    if ((registry == null) == (file == null)) {
      throw new IllegalArgumentException("either a registry or a file");
    }
  }

  /**
   * The content of a schema file at the time when the application file was read.
   *
   * @param path absolute path, for messages
   * @param content bytes of the file: an Avro schema in JSON, or a set of Protobuf descriptors
   * @param message full name of the Protobuf message; "" for the only one in the last file of the
   *     set, and for Avro
   */
  public record SchemaFile(String path, byte[] content, String message) implements Serializable {
    @Override
    public String toString() {
      return "SchemaFile[path=" + path + ", message=" + message + "]";
    }
  }
}
