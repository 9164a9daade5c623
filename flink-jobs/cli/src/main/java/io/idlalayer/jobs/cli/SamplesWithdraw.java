package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Asks a running application to take back the labels of some events. */
@Command(
    name = "withdraw",
    description = {
      "Takes the labels of events back. Their samples are not trained again until another"
          + " label arrives.",
      "Takes effect after everything that was sent before."
    })
final class SamplesWithdraw implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin RequestOptions request;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "ID", description = "Events' own ids.")
  List<String> ids;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ApplicationSettings application = request.read();
    if (application.input().schema().id() == null) {
      throw new UsageException(application.name() + " has no input.id, so no event can be named");
    }
    new LearnerRequest(application, request.servers).withdraw(ids);
    spec.commandLine()
        .getOut()
        .printf("asked %s to take %d labels back%n", application.name(), ids.size());
    return Terminal.OK;
  }
}
