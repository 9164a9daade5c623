package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.findings.EventFindings;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.produce.SurveyedInput;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Sends files to the topics of an application's events and labels. */
@Command(
    name = "produce",
    description = {
      "Sends a file's records to an application's input topic, or its labels to the topic of"
          + " labels.",
      "A second start with the same file, even if it has grown, sends what was not sent"
          + " before, whatever else was written to the topic. Another file with the same name is"
          + " sent whole."
    })
final class ProduceCommand implements Callable<Integer> {
  /** Number of records after which the command prints its findings for the first time. */
  private static final long EARLY = 1_000;

  @Spec CommandSpec spec;
  @Mixin RequestOptions request;

  @Option(
      names = "--input",
      paramLabel = "FILE",
      description = "File of events to send: text lines or MNIST images, plain or gzip.")
  @Nullable Path input;

  @Option(
      names = "--labels",
      paramLabel = "FILE",
      description = {
        "File of labels to send to the topic of labels, for an application with input.labels.",
        "With --input too, the labels are sent first."
      })
  @Nullable Path labels;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description =
          "Maximum number of records of the file to send, including those that were sent before.")
  long limit = Long.MAX_VALUE;

  @Option(
      names = "--rate",
      paramLabel = "EVENTS_PER_SECOND|max",
      converter = Rate.class,
      description = "Rate at which the file is sent (default: ${DEFAULT-VALUE}).",
      defaultValue = Rate.MAX)
  double rate;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description =
          "Topic to send --input to, for an application with 'input.topics' or 'input.topic-pattern'.")
  @Nullable String topic;

  @Option(
      names = "--end",
      description = "Then ask the application to learn and publish everything sent so far.")
  boolean end;

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (input == null && labels == null) {
      throw new UsageException("name a file with --input, --labels, or both");
    }
    if (topic != null && input == null) {
      throw new UsageException("--topic goes with --input: labels have a topic of their own");
    }
    if (limit < 1) {
      throw new UsageException("--limit must be at least 1");
    }
    if (limit != Long.MAX_VALUE && input == null) {
      throw new UsageException("--limit goes with --input: all labels are sent");
    }
    // A named topic can be the first topic that matches a pattern.
    ApplicationSettings application = topic == null ? request.application() : request.read();
    ApplicationSettings ofLabels =
        labels == null ? application : InputOptions.labelsOf(application);
    InputSource labelSource = labels == null ? null : InputOptions.source(labels, ofLabels);
    ApplicationSettings ofTopic = input == null ? application : ofTopic(application);
    InputSource source = input == null ? null : InputOptions.source(input, ofTopic);
    boolean byPattern = topic != null && application.input().topicPattern() != null;
    Topics.ensure(List.of(byPattern ? ofTopic : application), request.servers);
    if (labelSource != null) {
      send(ofLabels, labelSource, Long.MAX_VALUE);
    }
    if (source != null) {
      send(ofTopic, source, limit);
    }
    if (end) {
      Set<String> sent =
          source == null || application.input().topicPattern() == null
              ? Set.of()
              : Set.of(ofTopic.input().topic());
      new LearnerRequest(application, request.servers).end("end-" + UUID.randomUUID(), sent);
    }
    return Terminal.OK;
  }

  /** Returns the settings by which events are sent to one topic. */
  private ApplicationSettings ofTopic(ApplicationSettings application) {
    List<String> topics = application.input().eventTopics();
    String named = topic == null && topics.size() == 1 ? topics.get(0) : topic;
    if (named == null) {
      throw new UsageException(
          "%s reads several topics: name one of %s with --topic"
              .formatted(application.name(), String.join(", ", topics)));
    }
    try {
      return application.ofTopic(named);
    } catch (IllegalArgumentException foreign) {
      throw new UsageException("--topic: " + foreign.getMessage());
    }
  }

  private void send(ApplicationSettings application, InputSource source, long most)
      throws IOException, InterruptedException {
    SurveyedInput surveyed =
        new SurveyedInput(application, source, EARLY, found -> say(application, found));
    InputProducer.Sent sent =
        new InputProducer(application, request.servers)
            .send(surveyed.source(), new InputProducer.Request(most, rate));
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
  }

  private void say(ApplicationSettings application, Surveyed found) {
    PrintWriter out = spec.commandLine().getOut();
    for (String line : EventFindings.ofSent(found, application.input())) {
      out.println(application.name() + ": " + line);
    }
    out.flush();
  }
}
