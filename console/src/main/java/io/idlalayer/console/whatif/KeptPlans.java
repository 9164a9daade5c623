package io.idlalayer.console.whatif;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.idlalayer.jobs.capacityplan.CapacityPlan;
import io.idlalayer.jobs.capacityplan.CapacityPlanFile;
import io.idlalayer.jobs.capacityplan.PlanBasis;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last capacity plan of each application, read from the file in which {@code idla plan} stores
 * it. The file is read for each answer, so a plan is shown as soon as it is made. Thread-safe.
 */
public final class KeptPlans {
  /** The plans of a console that was started without application files. */
  public static final KeptPlans NONE = new KeptPlans(List.of(), List.of(), null);

  private final Map<String, Place> places = new HashMap<>();

  /** The file with the plan of an application, and the settings to which the plan must belong. */
  private record Place(CapacityPlanFile file, String command, PlanBasis basis) {}

  /**
   * The last plan of an application.
   *
   * @param problem why there is no plan to show; "" if there is one
   * @param command command that makes a plan which this console finds
   * @param differences settings that have changed since the plan was made, one line for each key;
   *     if there are any, no plan is shown
   * @param plan the plan; null if there is none to show
   */
  @JsonInclude(JsonInclude.Include.ALWAYS)
  public record Answer(
      String problem, String command, List<String> differences, @Nullable CapacityPlan plan) {
    private static Answer none(String problem, String command) {
      return new Answer(problem, command, List.of(), null);
    }
  }

  /**
   * Looks for plans in one work directory.
   *
   * @param applications the applications of the console
   * @param files their files, in the same order
   * @param workDirectory work directory of a run; null to use the default work directory of a run
   *     of the application
   */
  public KeptPlans(
      List<ApplicationSettings> applications, List<Path> files, @Nullable Path workDirectory) {
    for (int i = 0; i < applications.size(); i++) {
      String name = applications.get(i).name();
      Path work =
          workDirectory == null ? CapacityPlanFile.defaultWorkDirectory(name) : workDirectory;
      String command = "./idla plan " + quoted(files.get(i));
      places.put(
          name,
          new Place(
              new CapacityPlanFile(work, name),
              workDirectory == null ? command : command + " --work-dir " + quoted(work),
              PlanBasis.of(applications.get(i))));
    }
  }

  /** Returns a path as an argument in a shell. */
  private static String quoted(Path path) {
    String text = path.toString();
    return text.matches("[A-Za-z0-9_./+@%:,-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }

  /** Returns the last plan of an application. */
  public Answer of(String application) {
    Place place = places.get(application);
    if (place == null) {
      return Answer.none(
          "the console was started without the file of this application, so it does not know the"
              + " network to plan for",
          "./idla plan APP.yaml");
    }
    try {
      Optional<CapacityPlan> read = place.file().read();
      return read.map(plan -> judged(application, place, plan))
          .orElseGet(
              () -> Answer.none("there is no plan of this application yet", place.command()));
    } catch (IOException unreadable) {
      return Answer.none(
          "the plan of this application cannot be read: " + unreadable.getMessage(),
          place.command());
    }
  }

  private static Answer judged(String application, Place place, CapacityPlan plan) {
    if (!plan.application().equals(application)) {
      return Answer.none(
          "the plan that is kept is of the application " + plan.application(), place.command());
    }
    List<String> differences;
    try {
      differences = plan.basis().differences(place.basis());
    } catch (IllegalArgumentException damaged) {
      return Answer.none(
          "the plan of this application cannot be read: " + damaged.getMessage(), place.command());
    }
    return differences.isEmpty()
        ? new Answer("", place.command(), List.of(), plan)
        : new Answer(
            "the last plan is of other settings than this application has",
            place.command(),
            differences,
            null);
  }
}
