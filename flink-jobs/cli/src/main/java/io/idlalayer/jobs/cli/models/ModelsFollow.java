package io.idlalayer.jobs.cli.models;

import io.idlalayer.jobs.terminal.LogFile;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.kafka.KafkaNoticeSource;
import io.idlalayer.middleware.models.kafka.SubscriberIdentity;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.ModelSubscriber;
import io.idlalayer.middleware.models.serve.NoticeSource;
import io.idlalayer.middleware.sample.text.Shown;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Loads each new model version as a serving process would, and prints a line for it. */
@Command(
    name = "follow",
    description = {
      "Follows an application as a serving process would: verifies and loads each new"
          + " version and prints a line for it. Ends with Ctrl-C, or after --count versions.",
      "With --bootstrap-servers, it looks at once when a notice arrives on the models"
          + " topic, and reports itself on the subscribers topic if there is one. It polls in any"
          + " case, also while no broker answers."
    })
final class ModelsFollow implements Callable<Integer> {
  private static final long LOOK_NANOS = 20_000_000;

  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;
  @Mixin KafkaOptions kafka;
  @Mixin HeartbeatOptions heartbeats;
  @Mixin RowsOptions rows;
  @Mixin CacheOptions cache;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(
      names = "--alias",
      paramLabel = "NAME",
      description =
          "Follow the version that has this name, which `models alias` gives, instead of the newest"
              + " or pinned one.")
  @Nullable String alias;

  @Option(names = "--count", paramLabel = "N", description = "End after N versions.")
  int count = Integer.MAX_VALUE;

  @Option(
      names = "--poll-millis",
      description =
          "Time between two looks at the pointer (default: 200, and 2000 in an object store).")
  @Nullable Long pollMillis;

  @Option(
      names = "--models-topic",
      paramLabel = "TOPIC",
      description = "Topic of the notices (default: APPLICATION-models).")
  @Nullable String topic;

  @Override
  public Integer call() throws InterruptedException, IOException {
    Map<String, Object> properties = kafka.clientProperties();
    NoticeSource.Opener notices = notices(properties);
    SubscriberIdentity identity = heartbeats.identity(properties != null);
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Long millis = pollMillis;
    if (millis != null && millis < 1) {
      throw new UsageException("--poll-millis must be above 0, not " + millis);
    }
    ApplicationPartition of = ModelsOptions.partition(application, partition);
    Dl4jModelLoader loader = rows.dl4jLoader();
    try (ModelsOptions.OpenModels open = options.open(false, cache);
        ModelSubscriber<Dl4jModel> subscriber =
            new ModelSubscriber<>(subscription(open, of), loader, InstantSource.system());
        HeartbeatOptions.Reporters reporters =
            heartbeats.report(properties, identity, List.of(subscriber))) {
      open.tellIfEmpty(err);
      subscriber.start(
          notices,
          reason -> {
            err.println("refused: " + Shown.escaped(reason));
            err.flush();
          });
      String silence = "";
      long seen = 0;
      int shown = 0;
      while (shown < count) {
        var served = subscriber.current();
        if (served.isPresent() && served.get().manifest().version() != seen) {
          seen = served.get().manifest().version();
          shown++;
          show(out, served.get().manifest(), subscriber.ageMillis().orElse(0L));
        }
        silence = sayOnce(err, silence, subscriber.status().noticesError());
        reporters.tell(err);
        LockSupport.parkNanos(LOOK_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
    cache.summary().ifPresent(err::println);
    err.flush();
    return Terminal.OK;
  }

  private ModelSubscriber.Subscription subscription(
      ModelsOptions.OpenModels models, ApplicationPartition of) {
    Long millis = pollMillis;
    ModelSubscriber.Subscription newest =
        new ModelSubscriber.Subscription(
            models.reader(),
            of.application(),
            of.partition(),
            millis == null ? models.poll() : Duration.ofMillis(millis));
    return alias == null ? newest : newest.with(ModelsVersionOptions.name(alias));
  }

  private NoticeSource.@Nullable Opener notices(@Nullable Map<String, Object> properties) {
    if (properties == null) {
      if (topic != null) {
        throw new UsageException("--models-topic needs --bootstrap-servers HOST:PORT");
      }
      return null;
    }
    String notices = topic == null ? application + "-models" : topic;
    return () -> new KafkaNoticeSource(properties, notices, application, partition);
  }

  private static String sayOnce(PrintWriter err, String said, String error) {
    if (!error.equals(said) && !error.isEmpty()) {
      err.println(
          "cannot listen for notices of new models; new versions are still found by polling."
              + " Reason: "
              + error);
      if (!LogFile.where().isEmpty()) {
        err.println("(" + LogFile.where() + ")");
      }
      err.flush();
    }
    return error;
  }

  private static void show(PrintWriter out, ModelManifest manifest, long ageMillis) {
    out.printf(
        "%s v%d loaded %d ms after it was created: parent v%d, %,d new samples in total, %d files"
            + " verified%s%n",
        manifest.application(),
        manifest.version(),
        ageMillis,
        manifest.parentVersion(),
        manifest.counts().getOrDefault("trainedNewSamples", 0L),
        manifest.files().size(),
        ModelsList.rows(manifest));
    out.flush();
  }
}
