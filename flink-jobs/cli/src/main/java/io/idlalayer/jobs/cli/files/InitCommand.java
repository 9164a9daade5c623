package io.idlalayer.jobs.cli.files;

import io.idlalayer.jobs.cli.models.KafkaOptions;
import io.idlalayer.jobs.proposal.NoProposalException;
import io.idlalayer.jobs.proposal.Proposal;
import io.idlalayer.jobs.proposal.Proposer;
import io.idlalayer.jobs.proposal.Wishes;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Proposes an application file for a file or a topic of events. */
@Command(
    name = "init",
    description = {
      "Looks at events and writes an application file for them, with comments: format, columns,"
          + " numbers, categories and ids, label, model.",
      "What was guessed and what was left out is said here and in the file. 'idla check' then shows"
          + " what a model would see."
    })
public final class InitCommand implements Callable<Integer> {
  private static final int MOST_ROWS = 1_000_000;

  @Spec CommandSpec spec;
  @Mixin KafkaOptions kafka;

  @Parameters(
      arity = "0..1",
      paramLabel = "FILE",
      description = "File of events: CSV, JSON lines, Avro or MNIST images, plain, gzip or zip.")
  @Nullable Path file;

  @Option(
      names = "--topic",
      paramLabel = "TOPIC",
      description = "Topic of events instead of a file; needs --bootstrap-servers.")
  @Nullable String topic;

  @Option(
      names = "--label",
      paramLabel = "NAME",
      description = "Field that the model is to predict (default: guessed).")
  @Nullable String label;

  @Option(
      names = "--task",
      paramLabel = "classification|regression",
      description = "Whether its classes or its number is predicted (default: guessed).")
  @Nullable Task task;

  @Option(
      names = "--header",
      paramLabel = "true|false",
      arity = "1",
      description =
          "Whether a file of CSV begins with the names of its columns (default: guessed).")
  @Nullable Boolean header;

  @Option(
      names = "--encoding",
      paramLabel = "NAME",
      description = "Encoding of the events (default: utf-8 unless they have other bytes).")
  @Nullable String encoding;

  @Option(
      names = "--name",
      paramLabel = "NAME",
      description = "Name of the application (default: that of the file or topic).")
  @Nullable String name;

  @Option(
      names = "--rows",
      paramLabel = "N",
      defaultValue = "10000",
      description =
          "Maximum number of events to look at: half from the start of the file, half spread over the rest (default:"
              + " ${DEFAULT-VALUE}).")
  int rows;

  @Option(
      names = "--output",
      paramLabel = "APP.yaml",
      description = "Where to write the application file (default: standard output).")
  @Nullable Path output;

  @Option(names = "--force", description = "Overwrite the file of --output.")
  boolean force;

  @Override
  public Integer call() throws IOException {
    check();
    Proposal proposal = proposal();
    Path to = output;
    PrintWriter out = spec.commandLine().getOut();
    // Users redirect the file on standard output, so the sentences go elsewhere.
    PrintWriter said = to == null ? spec.commandLine().getErr() : out;
    proposal.remarks().forEach(said::println);
    said.flush();
    if (to == null) {
      out.print(proposal.yaml());
    } else {
      write(to, proposal.yaml());
      out.println("written: " + to);
    }
    out.flush();
    return Terminal.OK;
  }

  private void check() {
    Path to = output;
    if ((file == null) == (topic == null)) {
      throw new UsageException("name either a FILE of events, or --topic and --bootstrap-servers");
    }
    if (file != null && kafka.given()) {
      throw new UsageException("--bootstrap-servers and --kafka-properties go with --topic only");
    }
    if (topic != null && header != null) {
      throw new UsageException("--header is for files: events of a topic have none");
    }
    if (rows < Wishes.LEAST_ROWS || rows > MOST_ROWS) {
      throw new UsageException(
          "--rows must be between %d and %,d".formatted(Wishes.LEAST_ROWS, MOST_ROWS));
    }
    if (encoding != null) {
      try {
        EventEncoding unused = EventEncoding.of(encoding);
      } catch (IllegalArgumentException refused) {
        throw new UsageException("--encoding: '%s' %s".formatted(encoding, refused.getMessage()));
      }
    }
    if (force && to == null) {
      throw new UsageException("--force goes with --output only");
    }
    if (to != null && !force && Files.exists(to)) {
      throw exists(to);
    }
  }

  private static UsageException exists(Path to) {
    return new UsageException("--output %s: the file exists; --force overwrites it".formatted(to));
  }

  private Proposal proposal() throws IOException {
    Wishes wishes = new Wishes(name, label, task, header, encoding, rows);
    Path events = file;
    String from = topic;
    try {
      if (events != null) {
        return ofFile(events, wishes);
      }
      Map<String, Object> client = kafka.clientProperties();
      if (client == null || from == null) {
        throw new UsageException("--topic needs --bootstrap-servers HOST:PORT");
      }
      return Proposer.ofTopic(TopicEvents.read(client, from, rows), from, wishes);
    } catch (NoProposalException no) {
      throw new UsageException(String.valueOf(no.getMessage()));
    }
  }

  /** Proposes for a file; an unreadable file is a usage error, as it is for a run. */
  private static Proposal ofFile(Path events, Wishes wishes) throws NoProposalException {
    try {
      return Proposer.ofFile(events, wishes);
    } catch (UnreadableFileException unreadable) {
      throw new UsageException(
          String.valueOf(unreadable.adding("no application file was written").getMessage()));
    } catch (IOException unreadable) {
      throw new UsageException(String.valueOf(unreadable.getMessage()));
    }
  }

  private void write(Path to, String yaml) throws IOException {
    try {
      if (force) {
        Files.writeString(to, yaml);
      } else {
        Files.writeString(to, yaml, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
      }
    } catch (FileAlreadyExistsException meanwhile) {
      throw exists(to);
    }
  }
}
