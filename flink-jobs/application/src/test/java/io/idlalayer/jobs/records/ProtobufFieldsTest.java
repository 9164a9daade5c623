package io.idlalayer.jobs.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.MessageOptions;
import com.google.protobuf.DescriptorProtos.OneofDescriptorProto;
import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.DoubleValue;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.Timestamp;
import io.idlalayer.jobs.registry.RegisteredSchema;
import io.idlalayer.jobs.registry.RegistryStandIn;
import io.idlalayer.jobs.registry.RegistryUnavailableException;
import io.idlalayer.middleware.sample.IdKeys;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.format.EventParts;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

class ProtobufFieldsTest {
  private static final FileDescriptorProto GEO =
      FileDescriptorProto.newBuilder()
          .setName("shop/geo.proto")
          .setPackage("shop")
          .setSyntax("proto3")
          .addMessageType(
              DescriptorProto.newBuilder()
                  .setName("Geo")
                  .addField(field("country", 1, FieldDescriptorProto.Type.TYPE_STRING, ""))
                  .addField(field("inner", 2, FieldDescriptorProto.Type.TYPE_MESSAGE, ".shop.Geo")))
          .build();

  private static final FileDescriptorProto CLICK =
      FileDescriptorProto.newBuilder()
          .setName("shop/click.proto")
          .setPackage("shop")
          .setSyntax("proto3")
          .addDependency("shop/geo.proto")
          .addDependency("google/protobuf/timestamp.proto")
          .addDependency("google/protobuf/wrappers.proto")
          .addDependency("company/options.proto")
          .addEnumType(
              EnumDescriptorProto.newBuilder()
                  .setName("Kind")
                  .addValue(EnumValueDescriptorProto.newBuilder().setName("WEB").setNumber(0))
                  .addValue(EnumValueDescriptorProto.newBuilder().setName("APP").setNumber(1)))
          .addMessageType(DescriptorProto.newBuilder().setName("Other"))
          .addMessageType(DescriptorProto.newBuilder().setName("Outer").addNestedType(click()))
          .build();

  private static DescriptorProto.Builder click() {
    return DescriptorProto.newBuilder()
        .setName("Click")
        .addField(field("key", 1, FieldDescriptorProto.Type.TYPE_STRING, ""))
        .addField(field("amount", 2, FieldDescriptorProto.Type.TYPE_DOUBLE, ""))
        .addField(
            field("age", 3, FieldDescriptorProto.Type.TYPE_INT32, "")
                .setProto3Optional(true)
                .setOneofIndex(0))
        .addOneofDecl(OneofDescriptorProto.newBuilder().setName("_age"))
        .addField(field("count", 4, FieldDescriptorProto.Type.TYPE_UINT64, ""))
        .addField(
            field("at", 5, FieldDescriptorProto.Type.TYPE_MESSAGE, ".google.protobuf.Timestamp"))
        .addField(
            field(
                "share", 6, FieldDescriptorProto.Type.TYPE_MESSAGE, ".google.protobuf.DoubleValue"))
        .addField(field("kind", 7, FieldDescriptorProto.Type.TYPE_ENUM, ".shop.Kind"))
        .addField(field("geo", 8, FieldDescriptorProto.Type.TYPE_MESSAGE, ".shop.Geo"))
        .addField(
            field("grid", 9, FieldDescriptorProto.Type.TYPE_SINT32, "")
                .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED))
        .addField(
            field("tags", 10, FieldDescriptorProto.Type.TYPE_STRING, "")
                .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED))
        .addField(
            field("stops", 11, FieldDescriptorProto.Type.TYPE_MESSAGE, ".shop.Geo")
                .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED))
        .addField(
            field(
                    "attributes",
                    12,
                    FieldDescriptorProto.Type.TYPE_MESSAGE,
                    ".shop.Outer.Click.AttributesEntry")
                .setLabel(FieldDescriptorProto.Label.LABEL_REPEATED))
        .addNestedType(
            DescriptorProto.newBuilder()
                .setName("AttributesEntry")
                .setOptions(MessageOptions.newBuilder().setMapEntry(true))
                .addField(field("key", 1, FieldDescriptorProto.Type.TYPE_INT64, ""))
                .addField(field("value", 2, FieldDescriptorProto.Type.TYPE_FLOAT, "")))
        .addField(field("clicked", 13, FieldDescriptorProto.Type.TYPE_BOOL, ""))
        .addField(field("picture", 14, FieldDescriptorProto.Type.TYPE_BYTES, ""));
  }

  private static FieldDescriptorProto.Builder field(
      String name, int number, FieldDescriptorProto.Type type, String of) {
    FieldDescriptorProto.Builder field =
        FieldDescriptorProto.newBuilder()
            .setName(name)
            .setNumber(number)
            .setType(type)
            .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
    return of.isEmpty() ? field : field.setTypeName(of);
  }

  private static final SampleSchema FIELDS =
      new SampleSchema(
          List.of(),
          List.of(
              DenseFeature.of("amount"),
              new DenseFeature("age", 1, 1, zero()),
              DenseFeature.of("count"),
              new DenseFeature(
                  "at",
                  1,
                  1,
                  new SampleSchema.Reading(
                      Missing.ZERO, false, List.of(), List.of(TimePart.SECONDS))),
              new DenseFeature("share", 1, 1, zero()),
              new DenseFeature("grid", 3, 1, zero()),
              new DenseFeature("grid[1]", 1, 1, zero()),
              new DenseFeature("attributes[\"-7\"]", 1, 1, zero())),
          List.of(
              new CategoricalFeature("kind", 100),
              new CategoricalFeature("geo.country", 100),
              new CategoricalFeature("stops[1].inner.country", 100)),
          List.of(new IdFeature("tags", 5)),
          new SampleSchema.Label(
              "clicked", SampleSchema.Task.CLASSIFICATION, List.of("false", "true")),
          "key");

  private static SampleSchema.Reading zero() {
    return new SampleSchema.Reading(Missing.ZERO, false, List.of(), List.of());
  }

  private static RecordSchemas.SchemaFile file(String message) {
    FileDescriptorSet set = FileDescriptorSet.newBuilder().addFile(GEO).addFile(CLICK).build();
    return new RecordSchemas.SchemaFile("/x.desc", set.toByteArray(), message);
  }

  private static final Descriptor DESCRIPTOR = ProtobufSchemas.read(file("shop.Outer.Click"));

  private static SampleDecoder decoder(SampleSchema fields) {
    return RecordSampleDecoder.protobuf(
        fields, EventParts.WHOLE, new RecordSchemas(null, file("shop.Outer.Click")));
  }

  private static FieldDescriptor of(String name) {
    return DESCRIPTOR.findFieldByName(name);
  }

  private static DynamicMessage geo(String country, DynamicMessage inner) {
    Descriptor type = of("geo").getMessageType();
    DynamicMessage.Builder geo = DynamicMessage.newBuilder(type);
    geo.setField(type.findFieldByName("country"), country);
    if (inner != null) {
      geo.setField(type.findFieldByName("inner"), inner);
    }
    return geo.build();
  }

  private static DynamicMessage.Builder whole() {
    FieldDescriptor map = of("attributes");
    return DynamicMessage.newBuilder(DESCRIPTOR)
        .setField(of("key"), "k1")
        .setField(of("amount"), -2.5)
        .setField(of("age"), 41)
        .setField(of("count"), 1L << 63)
        .setField(
            of("at"),
            Timestamp.newBuilder().setSeconds(1_700_000_000).setNanos(500_000_000).build())
        .setField(of("share"), DoubleValue.of(0.25))
        .setField(of("kind"), of("kind").getEnumType().findValueByName("APP"))
        .setField(of("geo"), geo("D\u00c4", null))
        .setField(of("grid"), List.of(1, -2, 3))
        .setField(of("tags"), List.of("x", "y"))
        .setField(of("stops"), List.of(geo("a", null), geo("b", geo("c", null))))
        .addRepeatedField(map, entry(map, 5, 1))
        .addRepeatedField(map, entry(map, -7, 0.1f))
        .setField(of("clicked"), true)
        .setField(of("picture"), ByteString.copyFromUtf8("png"));
  }

  private static DynamicMessage entry(FieldDescriptor map, long key, float value) {
    Descriptor type = map.getMessageType();
    return DynamicMessage.newBuilder(type)
        .setField(type.findFieldByNumber(1), key)
        .setField(type.findFieldByNumber(2), value)
        .build();
  }

  private static String reason(SampleDecoder decoder, byte[] event) {
    try {
      return "decoded: " + decoder.decode(event);
    } catch (MalformedSampleException refused) {
      return String.valueOf(refused.getMessage());
    }
  }

  @Test
  void decode_aMessage_hasItsValues() throws Exception {
    Sample sample = decoder(FIELDS).decode(whole().build().toByteArray());

    assertThat(sample.id()).isEqualTo("k1");
    assertThat(sample.dense())
        .containsExactly(-2.5, 41, Math.pow(2, 63), 1_700_000_000.5, 0.25, 1, -2, 3, -2, 0.1);
    assertThat(sample.categorical()).doesNotContain(0);
    assertThat(sample.ids().key(0)).isEqualTo(IdKeys.of("x"));
    assertThat(sample.label()).isEqualTo(1);
  }

  @Test
  void decode_absentFields_areDefaultsOnlyWithoutPresence() throws Exception {
    byte[] empty = DynamicMessage.newBuilder(DESCRIPTOR).build().toByteArray();

    Sample sample = decoder(FIELDS).decode(empty);

    assertThat(empty).isEmpty();
    assertThat(sample.id()).isEmpty();
    assertThat(sample.label()).isZero();
    assertThat(sample.dense()).containsOnly(0);
    // 'kind' is its first symbol, and the fields of messages that are not there are missing.
    assertThat(sample.categorical()[0]).isPositive();
    assertThat(sample.categorical()[1]).isZero();
    String by = "; the schema of input.schema-file has ";
    assertThat(reason(decoder(with("age")), empty))
        .isEqualTo("age: missing" + by + "int32 at 'age'");
    assertThat(reason(decoder(with("share")), empty))
        .isEqualTo("share: missing" + by + "message google.protobuf.DoubleValue at 'share'");
    assertThat(
            reason(
                decoder(with("stops[1].country")),
                whole().clearField(of("stops")).build().toByteArray()))
        .isEqualTo(
            "stops[1].country: missing; the event has no 'stops'"
                + by
                + "string at 'stops[1].country'");
    assertThat(reason(decoder(with("x")), empty)).isEqualTo("x: missing" + by + "no 'x'");
    assertThat(reason(decoder(with("picture")), whole().build().toByteArray()))
        .startsWith("picture: bytes where a number or text is expected" + by + "bytes");
    assertThat(reason(decoder(with("geo")), whole().build().toByteArray()))
        .startsWith("geo: an object where a value is expected" + by + "message shop.Geo");
    assertThat(reason(decoder(with("key")), whole().build().toByteArray()))
        .startsWith("key: 'k1' is not a number" + by + "string");
  }

  private static SampleSchema with(String feature) {
    return new SampleSchema(
        List.of(),
        List.of(DenseFeature.of(feature)),
        List.of(),
        List.of(),
        new SampleSchema.Label("amount", SampleSchema.Task.REGRESSION, List.of()),
        null);
  }

  @Test
  void decode_timestampAsNumber_isEpochSeconds() throws Exception {
    assertThat(decoder(with("at")).decode(whole().build().toByteArray()).dense())
        .containsExactly(1_700_000_000.5);
  }

  @Test
  void decode_otherEncodingsOfTheSame_areRead() throws Exception {
    // Elements that are not packed, a field that is not known, a group, an enum of later times.
    byte[] event =
        written(
            out -> {
              out.writeSInt32(9, 4);
              out.writeString(10, "x");
              out.writeSInt32(9, 5);
              out.writeTag(99, 3);
              out.writeInt32(1, 1);
              out.writeTag(99, 4);
              out.writeEnum(7, 17);
              out.writeInt64(1_000, -1);
              // A field of another wire type than its own is not known.
              out.writeInt32(2, 3);
              out.writeSInt32(9, 6);
              out.writeString(10, "y");
              // The value of an entry before its key.
              out.writeByteArray(
                  12,
                  written(
                      entry -> {
                        entry.writeFloat(2, 8);
                        entry.writeInt64(1, -7);
                      }));
            });

    Sample sample = decoder(FIELDS).decode(event);

    assertThat(sample.dense()).containsExactly(0, 0, 0, 0, 0, 4, 5, 6, 5, 8);
    assertThat(sample.ids().size()).isEqualTo(2);
    assertThat(sample.categorical()[0]).isPositive();
  }

  private interface Writing {
    void to(CodedOutputStream out) throws IOException;
  }

  private static byte[] written(Writing writing) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    writing.to(out);
    out.flush();
    return bytes.toByteArray();
  }

  @Test
  void decode_fieldTwice_isRefused() throws Exception {
    byte[] event =
        written(
            out -> {
              out.writeDouble(2, 1);
              out.writeDouble(2, 2);
            });

    assertThat(reason(decoder(FIELDS), event)).startsWith("amount: named twice");
  }

  @Test
  void decode_byRegistry_followsIndexesAndImports() throws Exception {
    try (RegistryStandIn server = RegistryStandIn.start()) {
      RegisteredSchema.Reference geo = new RegisteredSchema.Reference("shop/geo.proto", "geo", 1);
      server.add("geo", 1, "PROTOBUF", base64(GEO));
      server.add(1, "PROTOBUF", base64(CLICK), geo);
      server.add(2, "PROTOBUF", "syntax = \"proto3\"; message Click {}");
      server.add(3, "AVRO", "\"int\"");
      server.add(4, "PROTOBUF", base64(CLICK));
      SampleDecoder decoder =
          RecordSampleDecoder.protobuf(
              FIELDS, EventParts.WHOLE, new RecordSchemas(server.settings(2_000), null));
      byte[] message = whole().build().toByteArray();

      assertThat(decoder.decode(framed(1, message, 2, 1, 0)).dense()[0]).isEqualTo(-2.5);
      assertThat(reason(decoder, framed(1, message)))
          .startsWith("amount: missing; schema 1 has no 'amount'");
      assertThat(reason(decoder, framed(1, message, 1, 5)))
          .startsWith("event: the indexes of its message cannot be read: message 5 of 2");
      assertThat(reason(decoder, framed(1, new byte[0], 1_000_000)))
          .startsWith("event: the indexes of its message cannot be read");
      assertThat(reason(decoder, framed(1, new byte[0], -1)))
          .startsWith("event: the indexes of its message cannot be read: there are -1");
      assertThat(reason(decoder, framed(2, message)))
          .startsWith("event: schema 2 is no file descriptor");
      assertThat(reason(decoder, framed(3, message)))
          .isEqualTo("event: schema 3 is of type AVRO; input.format is protobuf");
      // What the missing import has is not known, and the rest is read.
      assertThat(decoder.decode(framed(4, message, 2, 1, 0)).dense()[0]).isEqualTo(-2.5);
      assertThat(reason(decoder, framed(9, message))).contains("has no schema 9");
      assertThat(server.asked())
          .contains(
              "/schemas/ids/1?format=serialized", "/subjects/geo/versions/1?format=serialized");

      server.fail(RegistryStandIn.status(403, ""));
      assertThatThrownBy(() -> decoder.decode(framed(10, message)))
          .isInstanceOf(RegistryUnavailableException.class);
    }
  }

  private static String base64(FileDescriptorProto file) {
    return Base64.getEncoder().encodeToString(file.toByteArray());
  }

  /** Returns a record with the index of its schema and those of its message; none for the first. */
  private static byte[] framed(int id, byte[] message, int... indexes) throws IOException {
    return written(
        out -> {
          out.write((byte) 0);
          out.writeRawBytes(
              new byte[] {(byte) (id >>> 24), (byte) (id >>> 16), (byte) (id >>> 8), (byte) id});
          if (indexes.length == 0) {
            out.writeSInt32NoTag(0);
          }
          for (int index : indexes) {
            out.writeSInt32NoTag(index);
          }
          out.writeRawBytes(message);
        });
  }

  @Test
  void read_filesOfDescriptors_needTheirMessage() {
    assertThatThrownBy(() -> ProtobufSchemas.read(file("")))
        .hasMessage("its last file has 2 messages; name one by 'message'");
    assertThatThrownBy(() -> ProtobufSchemas.read(file("Click")))
        .hasMessage("it has no message 'Click'");
    assertThatThrownBy(
            () ->
                ProtobufSchemas.read(new RecordSchemas.SchemaFile("/x", new byte[] {1, 2, 3}, "")))
        .hasMessageStartingWith("it is no set of descriptors");
    assertThat(ProtobufSchemas.read(file("shop.Geo")).getFullName()).isEqualTo("shop.Geo");
  }

  @Test
  void decode_hostileMessages_endSoonInARefusal() throws Exception {
    byte[] message = whole().build().toByteArray();
    Random random = new Random(7);
    SampleDecoder decoder = decoder(FIELDS);
    for (int length = 0; length < message.length; length++) {
      assertThat(reason(decoder, Arrays.copyOf(message, length))).isNotEmpty();
    }
    for (int i = 0; i < 20_000; i++) {
      byte[] changed = message.clone();
      for (int k = random.nextInt(5); k >= 0; k--) {
        changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
      }
      assertThat(reason(decoder, changed)).doesNotContain("Exception");
    }
    byte[] groups = new byte[1_000_000];
    // Groups of field 20, each in the one before.
    for (int i = 0; i < groups.length; i += 2) {
      groups[i] = (byte) 0xa3;
      groups[i + 1] = 1;
    }
    byte[] deep = {};
    for (int i = 0; i < 300; i++) {
      byte[] inner = deep;
      deep = written(out -> out.writeByteArray(2, inner));
    }
    byte[] inner = deep;
    byte[] geo = written(out -> out.writeByteArray(8, inner));
    byte[] long32 = {0x4a, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x07};
    byte[] negative = {0x4a, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f};
    for (byte[] event : List.of(groups, geo, long32, negative, new byte[100], new byte[] {-1})) {
      Callable<String> read = () -> reason(decoder, event);
      String said = Assertions.assertTimeout(Duration.ofSeconds(2), read::call);
      assertThat(said).doesNotContain("Exception", "Error");
    }
    assertThat(reason(decoder, groups)).startsWith("event: it is not a message of its schema");
    // Only what is declared is entered, however deep the rest is.
    assertThat(reason(decoder, geo)).startsWith("decoded");
  }
}
