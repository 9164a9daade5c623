package io.idlalayer.benchmarks;

import io.idlalayer.benchmarks.measure.OwnProcess;
import io.idlalayer.benchmarks.measure.Repeats;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.DecisionFollower;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.KafkaClients;
import io.idlalayer.jobs.stream.OnlineLearning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.CoreOptions;
import org.apache.flink.configuration.PipelineOptions;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Draining a topic of 1 KB JSON events in the three ways that events reach a learner: by the Kafka
 * job, as a stream of bytes that Flink's own source reads, and as a table of SQL that Flink's own
 * connector and JSON format read. No rule starts a training, but 100,000 waiting samples do.
 *
 * <p>The ways take turns, each in a process of its own with broker, Flink and learner, at
 * parallelism 1 and with the settings of Flink that {@code idla run} has. All read with the
 * consumer's settings of the Kafka job. The first {@value #WARM_UP_SHARE} of the events and the
 * last status are left out. Processor time is that of the whole process, broker included.
 */
public final class IngestionWaysExperiment {
  private static final double WARM_UP_SHARE = 0.4;
  private static final int LIMIT_SECONDS = 900;
  private static final Duration POLL = Duration.ofMillis(200);

  private IngestionWaysExperiment() {}

  private enum Way {
    KAFKA_JOB("Kafka job"),
    STREAM("DataStream of bytes"),
    SQL("SQL");

    private final String title;

    Way(String title) {
      this.title = title;
    }
  }

  /** Usage: {@code IngestionWaysExperiment WORK_FOLDER EVENTS TURNS}. */
  public static void main(String[] args) throws Exception {
    Path work = Path.of(args[0]);
    if (args[1].equals("one")) {
      one(work, Way.valueOf(args[2]), Long.parseLong(args[3]));
      System.exit(0);
    }
    Map<Way, List<double[]>> measured = new EnumMap<>(Way.class);
    int turns = Integer.parseInt(args[2]);
    for (int turn = 0; turn < turns; turn++) {
      for (Way way : Way.values()) {
        Path folder = Files.createDirectories(work.resolve(way + "-" + turn));
        double[] result =
            OwnProcess.run(
                IngestionWaysExperiment.class,
                folder.resolve("output.txt"),
                LIMIT_SECONDS,
                folder.toString(),
                "one",
                way.name(),
                args[1]);
        measured.computeIfAbsent(way, any -> new ArrayList<>()).add(result);
      }
    }
    print(measured);
  }

  private static void print(Map<Way, List<double[]>> measured) {
    System.out.print(
        """
        | way | events/s, median (min..max) | of the Kafka job's, turn by turn | processor us an event |
        |---|---|---|---|
        """);
    List<double[]> jobs = measured.getOrDefault(Way.KAFKA_JOB, List.of());
    measured.forEach(
        (way, results) -> {
          double[] rates = results.stream().mapToDouble(each -> each[0]).toArray();
          double[] shares = new double[rates.length];
          for (int i = 0; i < shares.length; i++) {
            shares[i] = rates[i] / jobs.get(i)[0];
          }
          double[] micros = results.stream().mapToDouble(each -> each[1]).toArray();
          System.out.printf(
              Locale.ROOT,
              "| %s | %s | %s | %s |%n",
              way.title,
              Repeats.of(rates).text("%.0f"),
              Repeats.of(shares).text("%.2f"),
              Repeats.of(micros).text("%.1f"));
        });
  }

  // ---- one measurement --------------------------------------------------------------------------

  private static void one(Path work, Way way, long events) throws Exception {
    ApplicationSettings application = WideEvents.application(work, "1h", WideEvents.HOT_BYTES);
    try (EmbeddedBroker broker = EmbeddedBroker.start(work.resolve("broker"), 0)) {
      String servers = broker.bootstrapServers();
      WideEvents.send(application, servers, events, Long.MAX_VALUE);
      Drain drain = new Drain(application, servers, events);
      if (way == Way.KAFKA_JOB) {
        kafkaJob(work, drain);
      } else {
        JobClient job = way == Way.STREAM ? stream(work, drain) : sql(work, drain);
        drain.follow();
        job.cancel().get();
      }
      System.out.printf(
          Locale.ROOT,
          "%nRESULT %.1f %.3f%n",
          drain.eventsPerSecond(),
          drain.processorMicrosPerEvent());
    }
  }

  private static void kafkaJob(Path work, Drain drain) throws Exception {
    CompletableFuture<?> followed = CompletableFuture.runAsync(drain::followUnchecked);
    new EmbeddedRun(
            new EmbeddedRun.Plan(List.of(drain.application()), work, drain.servers(), null),
            new RunMonitor() {
              @Override
              public void phase(String text) {}

              @Override
              public void event(RunView view, DecisionEvent event) {}

              @Override
              public void tick(RunView view) {}
            })
        .run(followed::isDone);
    followed.get();
  }

  private static StreamExecutionEnvironment environment(Path work) {
    Configuration settings =
        FlinkSettings.embedded(
            FlinkSettings.configuration(
                new FlinkSettings.Storage(
                    work.resolve("checkpoints").toUri().toString(),
                    work.resolve("savepoints").toUri().toString(),
                    work.resolve("rocksdb").toString(),
                    null)),
            work.resolve("temporary"));
    settings.set(CoreOptions.DEFAULT_PARALLELISM, 1);
    // As the Kafka job has it.
    settings.set(PipelineOptions.OBJECT_REUSE, true);
    return StreamExecutionEnvironment.createLocalEnvironment(1, settings);
  }

  private static Map<String, Object> consumer(Drain drain) {
    return KafkaClients.inputConsumer(drain.application().kafka(), drain.servers());
  }

  private static JobClient stream(Path work, Drain drain) throws Exception {
    StreamExecutionEnvironment env = environment(work);
    Properties consumer = new Properties();
    consumer.putAll(consumer(drain));
    KafkaSource<byte[]> source =
        KafkaSource.<byte[]>builder()
            .setProperties(consumer)
            .setBootstrapServers(drain.servers())
            .setTopics(drain.application().input().topic())
            .setStartingOffsets(OffsetsInitializer.earliest())
            .setDeserializer(new Values())
            .build();
    DataStream<byte[]> events =
        env.fromSource(source, WatermarkStrategy.noWatermarks(), "events").uid("events");
    OnlineLearning.on(events)
        .models(work.resolve("models").toString())
        .learn(drain.application())
        .toKafka(drain.servers());
    return env.executeAsync("stream");
  }

  /** The values of records. */
  private static final class Values implements KafkaRecordDeserializationSchema<byte[]> {
    private static final long serialVersionUID = 1L;

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> event, Collector<byte[]> out) {
      out.collect(event.value());
    }

    @Override
    public TypeInformation<byte[]> getProducedType() {
      return PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO;
    }
  }

  private static JobClient sql(Path work, Drain drain) throws Exception {
    StreamTableEnvironment tables = StreamTableEnvironment.create(environment(work));
    StringBuilder options = new StringBuilder();
    consumer(drain)
        .forEach((key, value) -> options.append(", 'properties.%s' = '%s'".formatted(key, value)));
    tables.executeSql(
        "CREATE TEMPORARY TABLE events (x ARRAY<DOUBLE>, y INT) WITH ('connector' = 'kafka', 'topic' = '%s', 'scan.startup.mode' = 'earliest-offset', 'format' = 'json'%s)"
            .formatted(drain.application().input().topic(), options));
    tables.executeSql(
        "CREATE TEMPORARY TABLE learner (x ARRAY<DOUBLE>, y INT) WITH ('connector' = 'idla', 'application' = '%s', 'models' = '%s', 'bootstrap-servers' = '%s')"
            .formatted(work.resolve("app.yaml"), work.resolve("models"), drain.servers()));
    return tables
        .executeSql("INSERT INTO learner SELECT x, y FROM events")
        .getJobClient()
        .orElseThrow();
  }

  /** How a learner gets on with the events of a topic, as its statuses say. */
  private static final class Drain {
    private final ApplicationSettings application;
    private final String servers;
    private final long events;
    private final List<Point> points = new ArrayList<>();

    /** A status: how many events the learner had, when, and the processor time until then. */
    private record Point(long received, long atMillis, double processorMillis) {}

    Drain(ApplicationSettings application, String servers, long events) {
      this.application = application;
      this.servers = servers;
      this.events = events;
    }

    ApplicationSettings application() {
      return application;
    }

    String servers() {
      return servers;
    }

    /** Reads statuses until the learner has all events. */
    void follow() throws IOException {
      try (DecisionFollower follower = new DecisionFollower(List.of(application), servers)) {
        while (points.isEmpty() || points.get(points.size() - 1).received() < events) {
          follower.poll(POLL).forEach(this::note);
        }
      }
    }

    void followUnchecked() {
      try {
        follow();
      } catch (IOException unreachable) {
        throw new UncheckedIOException(unreachable);
      }
    }

    private void note(DecisionEvent event) {
      if (event.type() == DecisionEvent.Type.STATUS) {
        points.add(
            new Point(
                event.status().samples().received(),
                event.atMillis(),
                ProcessorTimes.now().totalMillis()));
      }
    }

    private Point warm() {
      return points.stream()
          .filter(each -> each.received() >= events * WARM_UP_SHARE)
          .findFirst()
          .orElseThrow();
    }

    private Point last() {
      List<Point> before = points.stream().filter(each -> each.received() < events).toList();
      Point last = before.get(before.size() - 1);
      if (last.received() <= warm().received()) {
        throw new IllegalStateException(
            "%,d events last for too few statuses behind the warm-up: more are needed"
                .formatted(events));
      }
      return last;
    }

    double eventsPerSecond() {
      return (last().received() - warm().received())
          / ((last().atMillis() - warm().atMillis()) / 1e3);
    }

    double processorMicrosPerEvent() {
      return (last().processorMillis() - warm().processorMillis())
          * 1e3
          / (last().received() - warm().received());
    }
  }
}
