package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.embedded.InputPlan;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.RecordReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What to feed to an application. */
final class InputOptions {
  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = {
        "File to learn from. Known by its name and its content: the same file again adds nothing,",
        "a file that has grown continues, another file of the same name is sent whole."
      })
  @Nullable Path input;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = {
        "Most records of the input, those that were sent before included.",
        "A later run without it goes on behind them."
      })
  long limit = Long.MAX_VALUE;

  @Option(
      names = "--rate",
      paramLabel = "EVENTS_PER_SECOND|max",
      converter = Rate.class,
      description = "How fast to produce the input (default: ${DEFAULT-VALUE}).",
      defaultValue = Rate.MAX)
  double rate;

  /** The plan, or null without an input; a file that cannot be read is a usage error. */
  @Nullable InputPlan plan(List<ApplicationSettings> applications) {
    Path file = input;
    if (limit < 1) {
      throw new UsageException("--limit must be at least 1");
    }
    if (file == null) {
      return null;
    }
    if (applications.size() > 1) {
      throw new UsageException(
          "--input goes with one application; use 'idla produce' to feed several");
    }
    ApplicationSettings application = applications.get(0);
    try (RecordReader probe = Inputs.open(file, application)) {
      return new InputPlan(application, InputSource.file(file, application), limit, rate);
    } catch (IOException unreadable) {
      throw new UsageException(String.valueOf(unreadable.getMessage()));
    }
  }
}
