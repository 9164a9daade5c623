package io.idlalayer.jobs.records;

import io.idlalayer.jobs.registry.RegisteredSchema;
import io.idlalayer.jobs.registry.SchemaRegistry;
import io.idlalayer.jobs.registry.UnknownSchemaException;
import io.idlalayer.middleware.sample.path.PathTree;
import io.idlalayer.middleware.sample.text.Shown;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.apache.avro.NameValidator;
import org.apache.avro.Schema;

/** Reads Avro schemas, from a registry or a file. */
public final class AvroSchemas implements WriterSchemas {
  /** Largest number of schemas to which a schema refers, directly or indirectly. */
  private static final int REFERENCES_MAX = 100;

  private final SchemaRegistry registry;
  private final PathTree tree;
  private final Set<String> times;

  AvroSchemas(SchemaRegistry registry, PathTree tree, Set<String> times) {
    this.registry = registry;
    this.tree = tree;
    this.times = times;
  }

  @Override
  public RecordFields byId(int id) throws UnknownSchemaException {
    RegisteredSchema registered = registry.byId(id, SchemaRegistry.Form.TEXT);
    if (!registered.type().equals("AVRO")) {
      throw new UnknownSchemaException(
          "schema %d is of type %s; input.format is avro".formatted(id, registered.type()));
    }
    Schema.Parser parser = parser();
    refer(registered.references(), parser, new HashSet<>());
    String what = "schema " + id;
    Schema schema = parsed(parser, registered.text(), what);
    if (schema.getType() != Schema.Type.RECORD) {
      throw new UnknownSchemaException(
          "%s is of type %s; a record is expected".formatted(what, schema.getType().getName()));
    }
    return new AvroFields(schema, tree, times);
  }

  /** Reads the schemas to which other schemas refer, before those other schemas. */
  private void refer(
      List<RegisteredSchema.Reference> references,
      Schema.Parser parser,
      Set<RegisteredSchema.Reference> done)
      throws UnknownSchemaException {
    for (RegisteredSchema.Reference reference : references) {
      if (!done.add(reference)) {
        continue;
      }
      if (done.size() > REFERENCES_MAX) {
        throw new UnknownSchemaException(
            "the schema refers to more than %d others".formatted(REFERENCES_MAX));
      }
      RegisteredSchema registered = registry.referred(reference, SchemaRegistry.Form.TEXT);
      refer(registered.references(), parser, done);
      if (!parser.getTypes().containsKey(reference.name())) {
        Schema unused =
            parsed(
                parser,
                registered.text(),
                "version %d of subject %s"
                    .formatted(reference.version(), Shown.of(reference.subject())));
      }
    }
  }

  private static Schema parsed(Schema.Parser parser, String text, String what)
      throws UnknownSchemaException {
    try {
      return parser.parse(text);
    } catch (RuntimeException | StackOverflowError unusable) {
      throw new UnknownSchemaException(
          "%s cannot be read as Avro: %s".formatted(what, unusable.getMessage()));
    }
  }

  private static Schema.Parser parser() {
    return new Schema.Parser(NameValidator.UTF_VALIDATOR).setValidateDefaults(false);
  }

  /**
   * Returns the schema in a file.
   *
   * @throws IllegalArgumentException with the reason if there is none
   */
  public static Schema read(RecordSchemas.SchemaFile file) {
    Schema schema;
    try {
      schema = parsed(parser(), new String(file.content(), StandardCharsets.UTF_8), "it");
    } catch (UnknownSchemaException unusable) {
      throw new IllegalArgumentException(unusable.getMessage(), unusable);
    }
    if (schema.getType() != Schema.Type.RECORD) {
      throw new IllegalArgumentException("its schema is not that of a record");
    }
    return schema;
  }
}
