package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.capacity.TrainingChecks;
import io.idlalayer.jobs.capacityplan.CapacityPlan;
import io.idlalayer.jobs.capacityplan.CapacityPlanFile;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.terminal.Applications;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import io.idlalayer.middleware.placement.plan.PlanDesk;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Predicts what other memories, devices and numbers of processes would do for an application. */
@Command(
    name = "plan",
    description = {
      "Times a training step of an application's network on this machine, and predicts what a step,"
          + " an update and a month cost with less fast memory, other slow devices, and several"
          + " processes. Nothing is sent or learned.",
      "Measured numbers are labelled REAL, predicted ones SIMULATED. The console shows the last plan"
          + " of an application in What if?."
    },
    exitCodeList = {"0:ok", "1:failed", "2:problems in the file, or bad usage"})
public final class PlanCommand implements Callable<Integer> {
  @Spec CommandSpec spec;

  @Parameters(paramLabel = "APP.yaml", description = "Application file.")
  Path file;

  @Mixin PlanOptions options;

  @Option(
      names = "--work-dir",
      paramLabel = "DIR",
      description =
          "Work directory in which the plan is kept for the console (default:"
              + " idla-work/<application>). It may be in use.")
  @Nullable Path workDirectory;

  /** Forms of a plan. */
  enum Format {
    TEXT,
    JSON
  }

  @Option(
      names = "--format",
      paramLabel = "text|json",
      defaultValue = "text",
      description = "Form of the plan (default: ${DEFAULT-VALUE}).")
  Format format;

  @Override
  public Integer call() throws InterruptedException {
    List<String> problems = new ArrayList<>();
    PlanRequest request = options.read(problems);
    ApplicationSettings settings = settings(problems);
    if (settings == null || !problems.isEmpty()) {
      throw new UsageException(String.join("\n", problems));
    }
    MeasuredPlan plan = plan(settings, request);
    CapacityPlan kept = PlanJson.of(plan, InstantSource.system().millis());
    PrintWriter out = spec.commandLine().getOut();
    if (format == Format.JSON) {
      out.println(CapacityPlanFile.text(kept));
    } else {
      PlanText.lines(plan).forEach(out::println);
    }
    out.flush();
    keep(kept);
    return Terminal.OK;
  }

  /**
   * Saves a plan for the console. The user has the printed plan, so a failure is only a warning.
   */
  private void keep(CapacityPlan plan) {
    Path work =
        workDirectory == null
            ? CapacityPlanFile.defaultWorkDirectory(plan.application())
            : workDirectory;
    CapacityPlanFile place = new CapacityPlanFile(work, plan.application());
    PrintWriter err = spec.commandLine().getErr();
    try {
      place.write(plan);
      err.printf("The console shows this plan in What if?; it is kept in %s%n", place.path());
    } catch (IOException failed) {
      err.printf(
          "warning: the console will not show this plan, because %s cannot be written (%s); choose"
              + " another work directory with --work-dir%n",
          place.path(), failed);
    }
    err.flush();
  }

  private @Nullable ApplicationSettings settings(List<String> problems) {
    try {
      return Applications.readToRun(List.of(file), new TrainingChecks()).get(0);
    } catch (UsageException refused) {
      problems.add(String.valueOf(refused.getMessage()));
      return null;
    }
  }

  private static MeasuredPlan plan(ApplicationSettings settings, PlanRequest request)
      throws InterruptedException {
    MeasuredNetwork network = MeasuredNetwork.of(settings, System::nanoTime);
    List<DeviceProfile> profiles = new ArrayList<>();
    DeviceProfile dram = MachineDevices.fast(System::nanoTime);
    profiles.add(dram);
    List<PlannedDevice> devices = request.devices();
    long peak = network.graph().peakBytes();
    boolean needed =
        CapacityPlanning.budgets(settings, request, network).stream().anyMatch(it -> it < peak);
    if (needed && devices.isEmpty()) {
      DeviceProfile slow = MachineDevices.slow(settings, System::nanoTime);
      profiles.add(slow);
      devices = List.of(new PlannedDevice(slow.name(), slow.speed(), Double.NaN, true));
    }
    try (PlanDesk desk = PlanDesk.on(Runnable::run, null, System::nanoTime)) {
      PlanResult result =
          new CapacityPlanning(settings, request, network, dram.speed(), devices, desk).plan();
      return new MeasuredPlan(settings, request, network, profiles, devices, result);
    }
  }
}
