package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options that name the input to send to an application, and its rate. */
final class InputOptions {
  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = {
        "File to learn from, identified by its name and its content. The same file again"
            + " adds nothing;",
        "of a file that has grown, the new part is sent; another file with the same name is"
            + " sent whole."
      })
  @Nullable Path input;

  @Option(
      names = "--labels",
      paramLabel = "FILE",
      description = {
        "File with the labels of --input, for an application with input.labels. It is sent to the"
            + " topic of labels first."
      })
  @Nullable Path labels;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = {
        "Maximum number of records of the input to send, including those that were sent before.",
        "A later run without --limit sends the rest."
      })
  long limit = Long.MAX_VALUE;

  @Option(
      names = "--rate",
      paramLabel = "EVENTS_PER_SECOND|max",
      converter = Rate.class,
      description = "Rate at which the input is sent (default: ${DEFAULT-VALUE}).",
      defaultValue = Rate.MAX)
  double rate;

  /**
   * Returns the plan for sending the input; null if the options name none. A file that cannot be
   * read is a usage error.
   */
  @Nullable InputPlan plan(List<ApplicationSettings> applications) {
    Path file = input;
    if (limit < 1) {
      throw new UsageException("--limit must be at least 1");
    }
    if (file == null && labels != null) {
      throw new UsageException(
          "--labels goes with --input: name the file of events, or send labels with 'idla produce"
              + " --labels'");
    }
    if (file == null) {
      return null;
    }
    if (applications.size() > 1) {
      throw new UsageException(
          "--input works with one application only; use 'idla produce' to send files to several");
    }
    ApplicationSettings application = applications.get(0);
    if (application.input().topicPattern() != null) {
      throw new UsageException(
          "--input works with one topic only, and %s reads those that match %s: send the file with 'idla produce --topic'"
              .formatted(application.name(), application.input().topicPattern()));
    }
    if (!application.input().furtherTopics().isEmpty()) {
      throw new UsageException(
          "--input works with one topic only, and %s reads %s: send the file with 'idla produce --topic'"
              .formatted(application.name(), String.join(", ", application.input().eventTopics())));
    }
    InputSource source = source(file, application);
    InputSource ofLabels = labels == null ? null : source(labels, labelsOf(application));
    return new InputPlan(application, source, ofLabels, limit, rate);
  }

  /**
   * Returns the settings with which labels are sent; throws a usage error if the application has no
   * topic of labels.
   */
  static ApplicationSettings labelsOf(ApplicationSettings application) {
    if (application.input().labels() == null) {
      throw new UsageException(
          "--labels: %s has no topic of labels; name one with 'input.labels' in its file"
              .formatted(application.name()));
    }
    return application.ofLabels();
  }

  /** Returns a file as an input; throws a usage error if the file cannot be read. */
  static InputSource source(Path file, ApplicationSettings application) {
    try (RecordReader probe = Inputs.open(file, application)) {
      return InputSource.file(file, application);
    } catch (UnreadableFileException damaged) {
      throw new UsageException(
          String.valueOf(damaged.adding("nothing of it was sent").getMessage()));
    } catch (IOException unreadable) {
      throw new UsageException(String.valueOf(unreadable.getMessage()));
    }
  }
}
