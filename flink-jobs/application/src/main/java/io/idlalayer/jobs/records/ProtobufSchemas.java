package io.idlalayer.jobs.records;

import com.google.protobuf.AnyProto;
import com.google.protobuf.ApiProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.DurationProto;
import com.google.protobuf.EmptyProto;
import com.google.protobuf.FieldMaskProto;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.SourceContextProto;
import com.google.protobuf.StructProto;
import com.google.protobuf.TimestampProto;
import com.google.protobuf.TypeProto;
import com.google.protobuf.WrappersProto;
import io.idlalayer.jobs.registry.RegisteredSchema;
import io.idlalayer.jobs.registry.SchemaRegistry;
import io.idlalayer.jobs.registry.UnknownSchemaException;
import io.idlalayer.middleware.sample.path.PathTree;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads descriptors of Protobuf messages, from a registry or from a file that {@code protoc
 * --include_imports --descriptor_set_out} has written.
 */
public final class ProtobufSchemas implements WriterSchemas {
  /** Largest number of files that a file imports, directly or indirectly. */
  private static final int FILES_MAX = 1_000;

  private static final int DEPTH_MAX = 50;
  private static final Map<String, FileDescriptor> WELL_KNOWN = wellKnown();

  private final SchemaRegistry registry;
  private final PathTree tree;
  private final Set<String> times;

  ProtobufSchemas(SchemaRegistry registry, PathTree tree, Set<String> times) {
    this.registry = registry;
    this.tree = tree;
    this.times = times;
  }

  private static Map<String, FileDescriptor> wellKnown() {
    Map<String, FileDescriptor> files = new HashMap<>();
    for (FileDescriptor each :
        List.of(
            AnyProto.getDescriptor(),
            ApiProto.getDescriptor(),
            DurationProto.getDescriptor(),
            EmptyProto.getDescriptor(),
            FieldMaskProto.getDescriptor(),
            SourceContextProto.getDescriptor(),
            StructProto.getDescriptor(),
            TimestampProto.getDescriptor(),
            TypeProto.getDescriptor(),
            WrappersProto.getDescriptor(),
            com.google.protobuf.DescriptorProtos.getDescriptor())) {
      files.put(each.getName(), each);
    }
    return files;
  }

  @Override
  public RecordFields byId(int id) throws UnknownSchemaException {
    RegisteredSchema registered = registry.byId(id, SchemaRegistry.Form.SERIALIZED);
    if (!registered.type().equals("PROTOBUF")) {
      throw new UnknownSchemaException(
          "schema %d is of type %s; input.format is protobuf".formatted(id, registered.type()));
    }
    Map<String, FileDescriptorProto> imported = new HashMap<>();
    refer(registered.references(), imported, 0);
    String what = "schema " + id;
    FileDescriptor file = new Files(imported, what).built(proto(registered, what), 0);
    return new ProtobufMessages(file, tree, times);
  }

  private void refer(
      List<RegisteredSchema.Reference> references,
      Map<String, FileDescriptorProto> imported,
      int depth)
      throws UnknownSchemaException {
    for (RegisteredSchema.Reference reference : references) {
      if (imported.containsKey(reference.name()) || WELL_KNOWN.containsKey(reference.name())) {
        continue;
      }
      if (imported.size() >= FILES_MAX || depth >= DEPTH_MAX) {
        throw new UnknownSchemaException("the schema refers to too many others");
      }
      RegisteredSchema registered = registry.referred(reference, SchemaRegistry.Form.SERIALIZED);
      String what =
          "version %d of subject %s".formatted(reference.version(), Shown.of(reference.subject()));
      imported.put(reference.name(), proto(registered, what));
      refer(registered.references(), imported, depth + 1);
    }
  }

  private static FileDescriptorProto proto(RegisteredSchema registered, String what)
      throws UnknownSchemaException {
    try {
      return FileDescriptorProto.parseFrom(Base64.getDecoder().decode(registered.text().strip()));
    } catch (IllegalArgumentException | InvalidProtocolBufferException noDescriptor) {
      throw new UnknownSchemaException(
          "%s is no file descriptor: the registry does not answer '?format=serialized' with one;"
                  .formatted(what)
              + " name a file of descriptors by 'input.schema-file'");
    }
  }

  /**
   * Returns the message that a file of descriptors describes.
   *
   * @throws IllegalArgumentException with the reason if there is none
   */
  public static Descriptor read(RecordSchemas.SchemaFile file) {
    FileDescriptorSet set;
    try {
      set = FileDescriptorSet.parseFrom(file.content());
    } catch (InvalidProtocolBufferException noSet) {
      throw new IllegalArgumentException(
          "it is no set of descriptors, as protoc writes it with --include_imports and"
              + " --descriptor_set_out",
          noSet);
    }
    Map<String, FileDescriptorProto> all = new HashMap<>();
    set.getFileList().forEach(each -> all.put(each.getName(), each));
    List<Descriptor> messages = new ArrayList<>();
    Files files = new Files(all, "it");
    int last = set.getFileCount() - 1;
    try {
      for (int i = 0; i <= last; i++) {
        FileDescriptor built = files.built(set.getFile(i), 0);
        if (!file.message().isEmpty()) {
          add(built.getMessageTypes(), file.message(), messages);
        } else if (i == last) {
          messages.addAll(built.getMessageTypes());
        }
      }
    } catch (UnknownSchemaException unusable) {
      throw new IllegalArgumentException(unusable.getMessage(), unusable);
    }
    if (messages.size() != 1) {
      throw new IllegalArgumentException(
          file.message().isEmpty()
              ? "its last file has %d messages; name one by 'message'".formatted(messages.size())
              : "it has no message " + Shown.of(file.message()));
    }
    return messages.get(0);
  }

  private static void add(List<Descriptor> of, String name, List<Descriptor> to) {
    for (Descriptor each : of) {
      if (each.getFullName().equals(name)) {
        to.add(each);
      }
      add(each.getNestedTypes(), name, to);
    }
  }

  /** Builds the descriptors of files, with the files that they import. */
  private static final class Files {
    private final Map<String, FileDescriptorProto> imported;
    private final String what;
    private final Map<String, FileDescriptor> built = new HashMap<>(WELL_KNOWN);

    Files(Map<String, FileDescriptorProto> imported, String what) {
      this.imported = imported;
      this.what = what;
    }

    FileDescriptor built(FileDescriptorProto file, int depth) throws UnknownSchemaException {
      @Nullable FileDescriptor before = built.get(file.getName());
      if (before != null && imported.containsKey(file.getName())) {
        return before;
      }
      if (depth > DEPTH_MAX) {
        throw new UnknownSchemaException(what + " imports files that import it, or too many");
      }
      List<FileDescriptor> imports = new ArrayList<>();
      for (String name : file.getDependencyList()) {
        FileDescriptorProto next = imported.get(name);
        if (next != null && !WELL_KNOWN.containsKey(name)) {
          imports.add(built(next, depth + 1));
        } else if (built.containsKey(name)) {
          imports.add(Objects.requireNonNull(built.get(name)));
        }
      }
      try {
        // Missing files mostly contain options, whose types are not needed.
        FileDescriptor made =
            FileDescriptor.buildFrom(file, imports.toArray(new FileDescriptor[0]), true);
        built.put(file.getName(), made);
        return made;
      } catch (DescriptorValidationException | RuntimeException | StackOverflowError unusable) {
        throw new UnknownSchemaException(
            "%s cannot be read as Protobuf: %s".formatted(what, unusable.getMessage()));
      }
    }
  }
}
