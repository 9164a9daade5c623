package io.idlalayer.jobs.cli;

import io.idlalayer.datacontroller.settings.ForgetSettings;
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
import picocli.CommandLine.Option;
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

  @Option(
      names = "--forget",
      description =
          "Also forget what the model has learned from them, within the time of selection.forget."
              + " Events of type FORGOTTEN say when.")
  boolean forget;

  @Parameters(index = "1..*", arity = "1..*", paramLabel = "ID", description = "Events' own ids.")
  List<String> ids;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ApplicationSettings application = request.read();
    if (application.input().schema().id() == null) {
      throw new UsageException(application.name() + " has no input.id, so no event can be named");
    }
    LearnerRequest learner = new LearnerRequest(application, request.servers);
    if (forget) {
      forget(application, learner);
    } else {
      learner.withdraw(ids);
      spec.commandLine()
          .getOut()
          .printf("asked %s to take %d labels back%n", application.name(), ids.size());
    }
    return Terminal.OK;
  }

  private void forget(ApplicationSettings application, LearnerRequest learner)
      throws IOException, InterruptedException {
    ForgetSettings settings = application.data().forget();
    if (!settings.on()) {
      throw new UsageException(
          application.name()
              + " cannot forget samples: set selection.forget in its file, such as"
              + " 'forget: {within: 24h}', and start it again");
    }
    learner.forget(ids);
    spec.commandLine()
        .getOut()
        .printf(
            "asked %s to take %d labels back and to forget them within %,d s; events of type"
                + " FORGOTTEN on topic %s say since which version%n",
            application.name(),
            ids.size(),
            settings.withinMillis() / 1_000,
            application.kafka().decisionsTopic());
  }
}
