package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.Inputs;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.sample.RecordReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Sends a file to an application's input topic. */
@Command(
    name = "produce",
    description = {
      "Sends a file's records to an application's input topic.",
      "A second start with the same file continues behind the last record that is in the topic."
    })
final class ProduceCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Parameters(arity = "1", paramLabel = "APP.yaml", description = "Application file.")
  Path file;

  @Option(
      names = "--input",
      required = true,
      paramLabel = "FILE",
      description = "File to send: text lines or MNIST images, plain or gzip.")
  Path input;

  @Option(
      names = "--bootstrap-servers",
      required = true,
      paramLabel = "HOST:PORT,...",
      description = "Kafka servers.")
  String servers;

  @Option(names = "--limit", paramLabel = "N", description = "Most records to send.")
  long limit = Long.MAX_VALUE;

  @Option(
      names = "--rate",
      paramLabel = "EVENTS_PER_SECOND|max",
      converter = Rate.class,
      description = "How fast (default: ${DEFAULT-VALUE}).",
      defaultValue = Rate.MAX)
  double rate;

  @Option(
      names = "--end",
      description = "Mark the end of the input, so that a run that follows it finishes.")
  boolean end;

  @Override
  public Integer call() throws IOException, InterruptedException {
    List<ApplicationSettings> applications = Applications.read(List.of(file));
    ApplicationSettings application = applications.get(0);
    RecordReader reader;
    try {
      reader = Inputs.open(input, application);
    } catch (IOException unreadable) {
      throw new UsageException(String.valueOf(unreadable.getMessage()));
    }
    try (reader) {
      Topics.ensure(applications, servers);
      InputProducer.Sent sent =
          new InputProducer(application, servers)
              .send(
                  reader,
                  new InputProducer.Request(String.valueOf(input.getFileName()), limit, rate, end));
      spec.commandLine()
          .getOut()
          .printf(
              "%,d records sent to topic %s; %,d were there already%n",
              sent.records(), application.input().topic(), sent.resumedAfter());
    }
    return Idla.OK;
  }
}
