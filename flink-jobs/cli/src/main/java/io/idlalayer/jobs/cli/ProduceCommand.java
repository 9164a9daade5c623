package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.findings.EventFindings;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.produce.SurveyedInput;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.format.RecordReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Sends a file to an application's input topic. */
@Command(
    name = "produce",
    description = {
      "Sends a file's records to an application's input topic.",
      "A second start with the same file, even if it has grown, sends what was not sent"
          + " before, whatever else was written to the topic. Another file with the same name is"
          + " sent whole."
    })
final class ProduceCommand implements Callable<Integer> {
  /** Number of records after which the findings are said first. */
  private static final long EARLY = 1_000;

  @Spec CommandSpec spec;
  @Mixin RequestOptions request;

  @Option(
      names = "--input",
      required = true,
      paramLabel = "FILE",
      description = "File to send: text lines or MNIST images, plain or gzip.")
  Path input;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "Most records of the file to send, including those that were sent before.")
  long limit = Long.MAX_VALUE;

  @Option(
      names = "--rate",
      paramLabel = "EVENTS_PER_SECOND|max",
      converter = Rate.class,
      description = "Rate at which the file is sent (default: ${DEFAULT-VALUE}).",
      defaultValue = Rate.MAX)
  double rate;

  @Option(
      names = "--end",
      description = "Then ask the application to learn and publish everything sent so far.")
  boolean end;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ApplicationSettings application = request.application();
    InputSource source;
    try (RecordReader probe = Inputs.open(input, application)) {
      source = InputSource.file(input, application);
    } catch (UnreadableFileException damaged) {
      throw new UsageException(
          String.valueOf(damaged.adding("nothing of it was sent").getMessage()));
    } catch (IOException unreadable) {
      throw new UsageException(String.valueOf(unreadable.getMessage()));
    }
    Topics.ensure(List.of(application), request.servers);
    SurveyedInput surveyed =
        new SurveyedInput(application, source, EARLY, found -> say(application, found));
    InputProducer.Sent sent =
        new InputProducer(application, request.servers)
            .send(surveyed.source(), new InputProducer.Request(limit, rate));
    if (end) {
      new LearnerRequest(application, request.servers).end("end-" + UUID.randomUUID());
    }
    say(application, surveyed.surveyed());
    spec.commandLine()
        .getOut()
        .printf(
            "%,d records sent to topic %s; %,d were there already%s%n",
            sent.records(),
            application.input().topic(),
            sent.before(),
            sent.shortened() == 0
                ? ""
                : "; %,d were too long, and their beginnings are in the dead letters"
                    .formatted(sent.shortened()));
    return Terminal.OK;
  }

  private void say(ApplicationSettings application, Surveyed found) {
    PrintWriter out = spec.commandLine().getOut();
    for (String line : EventFindings.ofSent(found, application.input())) {
      out.println(application.name() + ": " + line);
    }
    out.flush();
  }
}
