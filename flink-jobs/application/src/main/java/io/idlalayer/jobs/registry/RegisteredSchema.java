package io.idlalayer.jobs.registry;

import java.util.List;

/**
 * A schema in a registry.
 *
 * @param type AVRO, PROTOBUF or JSON
 * @param text the schema in the requested form
 * @param references other schemas that it needs
 */
public record RegisteredSchema(String type, String text, List<Reference> references) {
  public RegisteredSchema {
    references = List.copyOf(references);
  }

  /**
   * Another schema.
   *
   * @param name name by which the referring schema names the other schema
   */
  public record Reference(String name, String subject, int version) {}
}
