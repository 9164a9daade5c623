package io.idlalayer.jobs.settings;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Application files of records, and the files of schemas that they name. */
final class RecordFiles {
  static final String AVRO =
      """
      name: app
      input: {format: avro, schema-file: one.avsc, features: [a], label: y, classes: 2}
      """;
  static final String PROTOBUF =
      AVRO.replace("avro", "protobuf").replace("one.avsc", "all.desc, message: A");
  static final String REGISTRY =
      AVRO.replace("schema-file: one.avsc", "registry: {url: 'http://here:1'}");

  private RecordFiles() {}

  /** Writes the files of schemas. */
  static void write(Path folder) throws IOException {
    for (String name : List.of("one", "two")) {
      Files.writeString(
          folder.resolve(name + ".avsc"),
          "{\"type\":\"record\",\"name\":\"%s\",\"fields\":[]}".formatted(name));
    }
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("all.proto")
            .addMessageType(DescriptorProto.newBuilder().setName("A"))
            .addMessageType(DescriptorProto.newBuilder().setName("B"))
            .build();
    Files.write(
        folder.resolve("all.desc"),
        FileDescriptorSet.newBuilder().addFile(file).build().toByteArray());
  }
}
