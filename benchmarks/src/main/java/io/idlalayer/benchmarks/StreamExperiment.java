package io.idlalayer.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FlinkSettings;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.stream.OnlineLearning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.types.Row;
import org.jspecify.annotations.Nullable;

/**
 * Events a second of a learner that is attached to a stream, beside the job that reads the same
 * JSON events from Kafka: as bytes, and as rows that Jackson has parsed, as a format of Flink SQL
 * does. No rule starts a training, but 100,000 waiting samples do. The first 40 % of the events are
 * warm-up.
 */
public final class StreamExperiment {
  private static final double WARM_UP_SHARE = 0.4;

  /** Statuses of the running job: time in milliseconds, and events received. */
  private static final List<long[]> STATUSES = new CopyOnWriteArrayList<>();

  private static CompletableFuture<Boolean> done = new CompletableFuture<>();
  private static long wanted;

  private StreamExperiment() {}

  /** Usage: {@code StreamExperiment WORK_FOLDER EVENTS TURNS}. */
  public static void main(String[] args) throws Exception {
    Path work = Path.of(args[0]);
    wanted = Long.parseLong(args[1]);
    StringBuilder table = new StringBuilder("| turn | way | events/s |\n|---|---|---|\n");
    for (int turn = 1; turn <= Integer.parseInt(args[2]); turn++) {
      for (String way : List.of("Kafka", "bytes", "rows")) {
        STATUSES.clear();
        done = new CompletableFuture<>();
        Path folder = work.resolve(way + turn);
        ApplicationSettings application =
            WideEvents.application(folder, "1h", WideEvents.HOT_BYTES);
        if (way.equals("Kafka")) {
          kafka(application, folder);
        } else {
          stream(application, folder, way.equals("rows"));
        }
        table.append(String.format(Locale.ROOT, "| %d | %s | %,.0f |%n", turn, way, rate()));
      }
    }
    System.out.print(table);
    System.exit(0);
  }

  /** Notes a status of the running job. */
  private static boolean said(DecisionEvent event) {
    long received = event.status().samples().received();
    STATUSES.add(new long[] {event.atMillis(), received});
    return received >= wanted && done.complete(true);
  }

  private static double rate() {
    long @Nullable [] from = null;
    for (long[] each : STATUSES) {
      if (from == null && each[1] >= wanted * WARM_UP_SHARE) {
        from = each;
      } else if (from != null && each[1] >= wanted) {
        return 1e3 * (each[1] - from[1]) / (each[0] - from[0]);
      }
    }
    throw new IllegalStateException("too few statuses: more events are needed");
  }

  private static void kafka(ApplicationSettings application, Path work) throws Exception {
    try (EmbeddedBroker broker = EmbeddedBroker.start(work.resolve("broker"), 0)) {
      String servers = broker.bootstrapServers();
      WideEvents.send(application, servers, wanted, Long.MAX_VALUE);
      RunMonitor monitor =
          new RunMonitor() {
            @Override
            public void phase(String text) {}

            @Override
            public void event(RunView view, DecisionEvent event) {
              boolean unused = said(event);
            }

            @Override
            public void tick(RunView view) {}
          };
      new EmbeddedRun(
              new EmbeddedRun.Plan(List.of(application), work, servers, null), monitor)
          .run(() -> done.isDone());
    }
  }

  private static void stream(ApplicationSettings application, Path work, boolean rows)
      throws Exception {
    Configuration settings =
        FlinkSettings.configuration(
            new FlinkSettings.Storage(
                work.resolve("checkpoints").toUri().toString(),
                work.resolve("savepoints").toUri().toString(),
                work.resolve("rocks").toAbsolutePath().toString(),
                null));
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(
            1, FlinkSettings.embedded(settings, Files.createDirectories(work.resolve("tmp"))));
    env.getConfig().enableObjectReuse();
    DataStream<byte[]> events =
        env.fromSequence(1, wanted)
            .map(new Events(), PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO);
    OnlineLearning<?> learning =
        rows
            ? OnlineLearning.on(
                events.map(
                    new Parse(),
                    Types.ROW_NAMED(
                        new String[] {"x", "y"},
                        Types.PRIMITIVE_ARRAY(Types.DOUBLE),
                        Types.INT)))
            : OnlineLearning.on(events);
    learning
        .models(work.resolve("models").toString())
        .learn(application)
        .decisions()
        .map(StreamExperiment::said, Types.BOOLEAN);
    JobClient job = env.executeAsync("stream");
    boolean unused = done.get(1, TimeUnit.HOURS);
    job.cancel().get(1, TimeUnit.MINUTES);
  }

  /** Makes the events; each is different. */
  private static final class Events implements MapFunction<Long, byte[]> {
    private static final long serialVersionUID = 1L;
    private transient @Nullable WideEvents events;

    @Override
    public byte[] map(Long number) {
      WideEvents made = events;
      if (made == null) {
        made = new WideEvents(Long.MAX_VALUE);
        events = made;
      }
      made.next();
      return made.record();
    }
  }

  /** Parses an event to a row. */
  private static final class Parse implements MapFunction<byte[], Row> {
    private static final long serialVersionUID = 1L;
    private static final ObjectMapper JSON = new ObjectMapper();

    @Override
    public Row map(byte[] event) {
      try {
        JsonNode parsed = JSON.readTree(event);
        double[] x = new double[WideEvents.FEATURES];
        for (int i = 0; i < x.length; i++) {
          x[i] = parsed.get("x").get(i).doubleValue();
        }
        return Row.of(x, parsed.get("y").intValue());
      } catch (IOException damaged) {
        throw new UncheckedIOException(damaged);
      }
    }
  }
}
