package io.idlalayer.jobs.registry;

import java.util.List;

/**
 * A schema as the registry has it.
 *
 * @param type AVRO, PROTOBUF or JSON
 * @param text the schema in the form that was asked for
 * @param references other schemas that it needs
 */
public record RegisteredSchema(String type, String text, List<Reference> references) {
  public RegisteredSchema {
    references = List.copyOf(references);
  }

  /**
   * Another schema.
   *
   * @param name by which the schema refers to it
   */
  public record Reference(String name, String subject, int version) {}
}
