package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.CodedOutputStream;
import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.registry.RegistryStandIn;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.jobs.topics.DeadLetterHeaders;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.ToLongFunction;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clicks in Avro, whose schema evolves, and their labels in Protobuf, with a registry that refuses,
 * fails and comes back.
 */
final class RecordsRunIT {
  private static final int UNAUTHORIZED = 401;
  private static final int UNAVAILABLE = 503;
  private static final int FIRST = 120;
  private static final int SECOND = 80;
  private static final int THIRD = 50;
  private static final int ALL = 2 * (FIRST + SECOND) + 1 + THIRD;
  private static final int LABELS_ID = 10;

  private static final String FILE =
      """
      name: clicks
      input:
        format: avro
        registry: {url: "%s", user: ella, password: "secret-7", time-limit: 2s}
        features: [user.age, {name: "prices[0]", missing: zero}]
        categorical: [{name: user.geo.country, buckets: 20}]
        id: click
        label: clicked
        classes: ["false", "true"]
        labels: {format: protobuf, id: click_id}
      model: {hidden: [4]}
      update: {rule: count, count: 50}
      """;

  private static final Schema ONE =
      schema("{'name':'country','type':['null','string']}", "{'name':'age','type':'int'}", "");

  // Another order, another type, one field less and one more.
  private static final Schema TWO =
      schema(
          "{'name':'country','type':'string'}",
          "{'name':'age','type':['null','double']}",
          ",{'name':'more','type':{'type':'map','values':'long'}}");

  private static final Schema THREE =
      schema("{'name':'region','type':'string'}", "{'name':'age','type':'string'}", "");

  @TempDir Path folder;

  private static Schema schema(String inner, String age, String more) {
    String text =
        "{'type':'record','name':'Click','fields':[{'name':'user','type':{'type':'record','name':'User',"
            + "'fields':[%s,{'name':'geo','type':['null',{'type':'record','name':'Geo','fields':[%s]}]}]}},"
            + "{'name':'click','type':'string'},"
            + "{'name':'prices','type':{'type':'array','items':'double'}}%s]}";
    return new Schema.Parser().parse(text.formatted(age, inner, more).replace('\'', '"'));
  }

  private static byte[] event(int schemaId, Schema schema, int click) throws IOException {
    Schema userSchema = schema.getField("user").schema();
    GenericRecord user = new GenericData.Record(userSchema);
    int age = click % 60;
    user.put(
        "age", schemaId == 3 ? String.valueOf(age) : schemaId == 2 ? (Object) (age + 0.5) : age);
    Schema geoSchema = userSchema.getField("geo").schema().getTypes().get(1);
    GenericRecord geo = new GenericData.Record(geoSchema);
    geo.put(0, click % 2 == 0 ? "DE" : "FR");
    user.put("geo", click % 5 == 0 ? null : geo);
    GenericRecord record = new GenericData.Record(schema);
    record.put("user", user);
    record.put("click", "c" + click);
    record.put("prices", click % 3 == 0 ? List.of() : List.of(click * 0.5, 1.0));
    if (schema.getField("more") != null) {
      record.put("more", Map.of("a", 1L));
    }
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(prefix(schemaId));
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
    new GenericDatumWriter<GenericRecord>(schema).write(record, encoder);
    encoder.flush();
    return bytes.toByteArray();
  }

  private static byte[] prefix(int schemaId) {
    return ByteBuffer.allocate(5).put((byte) 0).putInt(schemaId).array();
  }

  private static byte[] label(int click) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(prefix(LABELS_ID));
    CodedOutputStream out = CodedOutputStream.newInstance(bytes);
    out.writeSInt32NoTag(0);
    out.writeString(1, "c" + click);
    if (click % 2 == 0) {
      out.writeBool(2, true);
    }
    out.flush();
    return bytes.toByteArray();
  }

  private static String labels() {
    FileDescriptorProto file =
        FileDescriptorProto.newBuilder()
            .setName("label.proto")
            .setSyntax("proto3")
            .addMessageType(
                DescriptorProto.newBuilder()
                    .setName("Clicked")
                    .addField(field("click_id", 1, FieldDescriptorProto.Type.TYPE_STRING))
                    .addField(field("clicked", 2, FieldDescriptorProto.Type.TYPE_BOOL)))
            .build();
    return Base64.getEncoder().encodeToString(file.toByteArray());
  }

  private static FieldDescriptorProto field(
      String name, int number, FieldDescriptorProto.Type type) {
    return FieldDescriptorProto.newBuilder().setName(name).setNumber(number).setType(type).build();
  }

  private static long sum(RunView view, ToLongFunction<Status.Samples> count) {
    return view.learners().stream()
        .mapToLong(each -> count.applyAsLong(each.status().samples()))
        .sum();
  }

  private static boolean holds(RunView view) {
    return RunReport.of(view, 1).get("balance").get("holds").asBoolean();
  }

  /** Lets the registry fail once the first events are read, and come back. */
  private static final class Outage extends FakeMonitor {
    private final RegistryStandIn registry;
    private final Runnable third;
    private int stage;
    private int askedBefore;
    boolean settled;

    Outage(RegistryStandIn registry, Runnable third) {
      this.registry = registry;
      this.third = third;
    }

    @Override
    public void tick(RunView view) {
      long received = sum(view, Status.Samples::received);
      // An update that is still training is not accounted for.
      settled = received >= ALL && holds(view);
      int asked = registry.asked().size();
      boolean next =
          switch (stage) {
            case 0 -> received == 2 * (FIRST + SECOND) + 1;
            // Refused at once, so the job has started again in between.
            case 1 -> asked >= askedBefore + 2;
            case 2 -> asked >= askedBefore + 3;
            default -> false;
          };
      if (!next) {
        return;
      }
      stage++;
      askedBefore = asked;
      switch (stage) {
        case 1 -> {
          registry.fail(RegistryStandIn.status(UNAUTHORIZED, ""));
          third.run();
        }
        case 2 -> registry.fail(RegistryStandIn.status(UNAVAILABLE, ""));
        default -> registry.fail(exchange -> false);
      }
    }
  }

  @Test
  @Timeout(120)
  void records_ofEvolvingSchemasThroughAnOutage_areLearnedOnce() throws Exception {
    try (RegistryStandIn registry = RegistryStandIn.start();
        EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      registry.add(1, "AVRO", ONE.toString());
      registry.add(2, "AVRO", TWO.toString());
      registry.add(3, "AVRO", THREE.toString());
      registry.add(LABELS_ID, "PROTOBUF", labels());
      String servers = broker.bootstrapServers();
      ApplicationSettings clicks =
          ApplicationFiles.read(folder.resolve("clicks.yaml"), FILE.formatted(registry.url()));
      Topics.ensure(List.of(clicks), servers);
      byte[] unknown = event(99, ONE, 1_000);
      Map<String, Object> properties = KafkaClients.producer(clicks.kafka(), servers);
      try (KafkaProducer<byte[], byte[]> producer = TopicBytes.producer(properties)) {
        for (int click = 0; click < FIRST + SECOND; click++) {
          boolean first = click < FIRST;
          send(producer, "clicks-samples", event(first ? 1 : 2, first ? ONE : TWO, click));
          send(producer, "clicks-labels", label(click));
        }
        send(producer, "clicks-samples", unknown);
        producer.flush();
        Outage outage = new Outage(registry, () -> sendThird(producer));

        RunOutcome outcome =
            new EmbeddedRun(
                    new EmbeddedRun.Plan(List.of(clicks), folder.resolve("work"), servers, null),
                    outage)
                .run(() -> outage.settled);

        RunView view = outcome.view();
        assertThat(outage.stage).isEqualTo(3);
        assertThat(sum(view, Status.Samples::received)).isEqualTo(ALL);
        assertThat(sum(view, Status.Samples::malformed)).isEqualTo(1);
        assertThat(sum(view, Status.Samples::stored)).isEqualTo(FIRST + SECOND + THIRD);
        assertThat(sum(view, Status.Samples::labelsWaiting)).isZero();
        assertThat(sum(view, Status.Samples::duplicates)).isZero();
        assertThat(view.learners().get(0).status().modelVersion()).isPositive();
        assertThat(holds(view)).as("balance").isTrue();
      }
      assertThat(registry.authorizations())
          .containsOnly(
              "Basic "
                  + Base64.getEncoder()
                      .encodeToString("ella:secret-7".getBytes(StandardCharsets.US_ASCII)));
      Map<String, Object> reading = KafkaClients.consumer(clicks.kafka(), servers);
      List<DeadLetter> letters =
          TopicBytes.all(reading, clicks.kafka().deadLettersTopic()).stream()
              .map(DeadLetterHeaders::read)
              .toList();
      // A job that starts again from a checkpoint before it may write a letter once more.
      assertThat(letters)
          .isNotEmpty()
          .allSatisfy(
              letter -> {
                assertThat(letter.offset()).isEqualTo(FIRST + SECOND);
                assertThat(letter.reason())
                    .isEqualTo("event: the schema registry has no schema 99");
                assertThat(letter.event()).isEqualTo(unknown);
              });
    }
  }

  private static void send(KafkaProducer<byte[], byte[]> producer, String topic, byte[] value) {
    Future<?> unused = producer.send(new ProducerRecord<>(topic, value));
  }

  private static void sendThird(KafkaProducer<byte[], byte[]> producer) {
    try {
      for (int click = FIRST + SECOND; click < FIRST + SECOND + THIRD; click++) {
        send(producer, "clicks-samples", event(3, THREE, click));
      }
      producer.flush();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
