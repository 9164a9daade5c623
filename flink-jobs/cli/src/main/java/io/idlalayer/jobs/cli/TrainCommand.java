package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Terminal;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Asks a running application to update its model with the waiting samples. */
@Command(
    name = "train",
    description = {
      "Asks a running application to train its pending samples now, whatever its update"
          + " rule says. With 'rule: manual' this is the only way to update. Takes effect after"
          + " everything that was sent before. The request goes to the control topic, or with"
          + " 'control-records: input' to the input topic."
    })
final class TrainCommand implements Callable<Integer> {
  @Spec CommandSpec spec;
  @Mixin RequestOptions request;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ApplicationSettings application = request.read();
    new LearnerRequest(application, request.servers).train();
    spec.commandLine()
        .getOut()
        .printf("asked %s to train its pending samples%n", application.name());
    return Terminal.OK;
  }
}
