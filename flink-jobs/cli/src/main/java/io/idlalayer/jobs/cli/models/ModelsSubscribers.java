package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.kafka.Heartbeat;
import io.idlalayer.middleware.models.kafka.HeartbeatSource;
import io.idlalayer.middleware.models.kafka.SubscriberBoard;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Lists the processes that serve models, with their versions. */
@Command(
    name = "subscribers",
    description = {
      "Lists the processes that serve an application's models and report themselves: which version"
          + " each serves and since when, and whether it is silent, stale or refuses versions."
          + " Times come from the broker's clock; ages are computed with this machine's clock.",
      "Processes report themselves with `models serve --predict` and `models follow`, if these have"
          + " --bootstrap-servers, and with HeartbeatReporter in Java."
    })
final class ModelsSubscribers implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(30);

  @Spec CommandSpec spec;
  @Mixin KafkaOptions kafka;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(
      names = "--subscribers-topic",
      paramLabel = "TOPIC",
      description =
          "Topic of the heartbeats (default: APPLICATION-subscribers). The job makes"
              + " TOPIC-PREFIXsubscribers; name that one if the application file has a"
              + " kafka.topic-prefix.")
  @Nullable String topic;

  @Override
  public Integer call() throws IOException {
    ApplicationPartition of = ModelsOptions.partition(application, partition);
    Map<String, Object> client = kafka.clientProperties();
    if (client == null) {
      throw new UsageException("name the Kafka of the heartbeats: --bootstrap-servers HOST:PORT");
    }
    SubscriberBoard board = new SubscriberBoard();
    InstantSource clock = InstantSource.system();
    String heartbeats = topic == null ? application + "-subscribers" : topic;
    try (HeartbeatSource source = new HeartbeatSource(client, List.of(heartbeats))) {
      read(source, board, clock, System::nanoTime);
    }
    print(board, of, clock.millis());
    return Terminal.OK;
  }

  /** Reads the heartbeats that are on the topic at the moment. */
  private static void read(
      HeartbeatSource source, SubscriberBoard board, InstantSource clock, LongSupplier nanoClock)
      throws IOException {
    long beganNanos = nanoClock.getAsLong();
    while (!source.caughtUp()) {
      if (nanoClock.getAsLong() - beganNanos > LONGEST_NANOS) {
        throw new IOException("reading the heartbeats took longer than 30 s");
      }
      source.poll(POLL).forEach(heard -> board.take(heard, clock.millis()));
    }
  }

  private void print(SubscriberBoard board, ApplicationPartition of, long nowMillis) {
    PrintWriter out = spec.commandLine().getOut();
    List<SubscriberBoard.Entry> all = board.of(of, nowMillis);
    if (all.isEmpty()) {
      out.printf("no subscriber reports to serve %s%n", of);
    }
    all.forEach(each -> out.println(line(each, nowMillis)));
    if (board.full(of.application(), nowMillis)) {
      out.printf(
          "and more: at most %,d of an application are shown%n",
          SubscriberBoard.MOST_OF_APPLICATION);
    }
    out.flush();
  }

  private static String line(SubscriberBoard.Entry entry, long nowMillis) {
    Heartbeat heartbeat = entry.heartbeat();
    Heartbeat.Service service = heartbeat.service();
    StringBuilder line = new StringBuilder();
    line.append("%s on %s: ".formatted(entry.name(), heartbeat.subscriber().host()));
    line.append(
        service.version() == 0
            ? "no version"
            : "v%d since %s"
                .formatted(service.version(), Instant.ofEpochMilli(service.sinceMillis())));
    if (!heartbeat.alias().isEmpty()) {
      line.append(", follows ").append(heartbeat.alias());
    }
    line.append(", heard %,d s ago".formatted(entry.ageMillis(nowMillis) / 1000));
    if (entry.silent(nowMillis)) {
      line.append(", SILENT");
    }
    if (service.stale()) {
      line.append(", STALE for %,d s".formatted(service.stalenessMillis() / 1000));
    }
    if (heartbeat.refusals().count() > 0) {
      line.append(", refused %,d so far".formatted(heartbeat.refusals().count()));
    }
    if (!heartbeat.refusals().lastError().isEmpty()) {
      line.append(", ERROR: ").append(heartbeat.refusals().lastError());
    }
    return line.toString();
  }
}
