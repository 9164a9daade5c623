package io.idlalayer.jobs.cli;

import io.idlalayer.middleware.checkpoint.ModelManifest;
import io.idlalayer.middleware.checkpoint.ModelSubscriber;
import io.idlalayer.modelcontroller.training.Dl4jModel;
import io.idlalayer.modelcontroller.training.Dl4jModelLoader;
import java.io.PrintWriter;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Follows new versions as a serving process would. */
@Command(
    name = "follow",
    description = {
      "Follows an application as a serving process would: verifies and loads every new version and"
          + " prints a line for it. Ends with Ctrl-C, or after --count versions."
    })
final class ModelsFollow implements Callable<Integer> {
  private static final long LOOK_NANOS = 20_000_000;

  @Spec CommandSpec spec;
  @Mixin ModelsOptions options;

  @Parameters(arity = "1", paramLabel = "APPLICATION")
  String application;

  @Option(names = "--partition", description = "Application partition (default: 0).")
  int partition;

  @Option(names = "--count", paramLabel = "N", description = "End after N versions.")
  int count = Integer.MAX_VALUE;

  @Option(
      names = "--poll-millis",
      description = "How often to look (default: ${DEFAULT-VALUE}).",
      defaultValue = "200")
  long pollMillis;

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    ModelSubscriber.Subscription subscription =
        new ModelSubscriber.Subscription(
            options.store(false), application, partition, Duration.ofMillis(pollMillis));
    try (ModelSubscriber<Dl4jModel> subscriber =
        new ModelSubscriber<>(subscription, new Dl4jModelLoader(), InstantSource.system())) {
      subscriber.start(
          null,
          reason -> {
            err.println("refused: " + reason);
            err.flush();
          });
      long seen = 0;
      int shown = 0;
      while (shown < count) {
        var served = subscriber.current();
        if (served.isPresent() && served.get().version() != seen) {
          seen = served.get().version();
          shown++;
          show(out, served.get().checkpoint().manifest(), subscriber.ageMillis().orElse(0L));
        }
        LockSupport.parkNanos(LOOK_NANOS);
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
      }
    }
    return Idla.OK;
  }

  private static void show(PrintWriter out, ModelManifest manifest, long ageMillis) {
    out.printf(
        "%s v%d loaded %d ms after it was made: parent v%d, %,d new samples in all, %d files"
            + " verified%n",
        manifest.application(),
        manifest.version(),
        ageMillis,
        manifest.parentVersion(),
        manifest.counts().getOrDefault("trainedNewSamples", 0L),
        manifest.files().size());
    out.flush();
  }
}
