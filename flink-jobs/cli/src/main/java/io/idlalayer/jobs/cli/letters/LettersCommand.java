package io.idlalayer.jobs.cli.letters;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.sample.text.Shown;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the dead letters of an application. */
@Command(
    name = "letters",
    description = {
      "Prints the events that an application refused, with the reasons: one in a line, with tabs"
          + " between position (topic-partition-offset), file and line, reason, and text.",
      "Reads the work directory of a run or a local cluster, also after its end, or a Kafka."
    })
public final class LettersCommand implements Callable<Integer> {
  private static final int MOST = 100_000;

  @Spec CommandSpec spec;

  @Parameters(index = "0", paramLabel = "APP.yaml", description = "Application file.")
  Path file;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description = "Work directory of the run or cluster (default: idla-work/<application>).")
  @Nullable Path workDirectory;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "Kafka to read instead of a work directory.")
  @Nullable String servers;

  @Option(
      names = "--limit",
      paramLabel = "N",
      defaultValue = "100",
      description =
          "Maximum number of letters to print; the newest are printed (default: ${DEFAULT-VALUE}).")
  int limit;

  @Option(
      names = "--reasons",
      description =
          "Print the most common reasons, each with its count and an example, and not the letters.")
  boolean reasons;

  @Override
  public Integer call() throws IOException {
    if (limit < 1 || limit > MOST) {
      throw new UsageException("--limit must be between 1 and " + MOST);
    }
    if (servers != null && workDirectory != null) {
      throw new UsageException("--work-dir and --bootstrap-servers exclude each other");
    }
    ApplicationSettings application = Applications.read(List.of(file)).get(0);
    LetterFold fold =
        new LetterFold(application.name(), application.input().schema(), reasons ? 1 : limit);
    String from = servers;
    Path work = workDirectory == null ? Path.of("idla-work", application.name()) : workDirectory;
    if (from == null) {
      LogLetters.read(application, work, fold);
    } else {
      BrokerLetters.read(application, from, fold);
    }
    print(application, fold);
    return Terminal.OK;
  }

  private void print(ApplicationSettings application, LetterFold fold) {
    PrintWriter out = spec.commandLine().getOut();
    if (fold.count() == 0) {
      out.printf(
          "%s has no dead letters on topic %s%n",
          application.name(), application.kafka().deadLettersTopic());
    } else if (reasons) {
      for (Surveyed.RefusedKind each : fold.reasons()) {
        out.printf(
            Locale.ROOT,
            "%d\t%s\t%s-%d\t%s\t%s%n",
            each.count(),
            Shown.escaped(each.reason()),
            Shown.escaped(each.input()),
            each.offset(),
            Shown.escaped(each.origin()),
            each.example());
      }
    } else {
      List<ShownLetter> newest = fold.newest();
      newest.forEach(each -> out.println(each.line()));
      if (fold.count() > newest.size()) {
        spec.commandLine()
            .getErr()
            .printf(
                Locale.ROOT,
                "the newest %,d of %,d; --limit shows more, --reasons counts them%n",
                newest.size(),
                fold.count());
      }
    }
    out.flush();
  }
}
