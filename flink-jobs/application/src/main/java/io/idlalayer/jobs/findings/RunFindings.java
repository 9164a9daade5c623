package io.idlalayer.jobs.findings;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.report.Totals;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The messages of a run about its input. They are given twice: when the first thousand events were
 * read, and at the end. Confined to one thread.
 */
public final class RunFindings {
  private static final long FIRST_EVENTS = 1_000;

  private final List<ApplicationSettings> applications;
  private final Set<String> said = new HashSet<>();

  /** Number of surveyed events of each application before the run. */
  private final Map<String, Long> before = new HashMap<>();

  public RunFindings(List<ApplicationSettings> applications) {
    this.applications = List.copyOf(applications);
  }

  /** Returns what all learners of an application have noticed in its present input. */
  public static Surveyed surveyed(RunView view, String application) {
    Surveyed all = Surveyed.NOTHING;
    for (Status status : statuses(view, application)) {
      Surveyed own = status.survey();
      all = own == null ? all : all.plus(own);
    }
    return all;
  }

  private static List<Status> statuses(RunView view, String application) {
    return view.learners().stream()
        .filter(learner -> learner.application().equals(application))
        .map(RunView.Learner::status)
        .toList();
  }

  /**
   * Returns the messages after an event of the run that the view has received: the findings about
   * its application when a thousand events were read, and otherwise none.
   */
  public List<String> after(RunView view, DecisionEvent event) {
    String name = event.application();
    if (said.contains(name)) {
      return List.of();
    }
    Surveyed found = surveyed(view, name);
    boolean begins =
        event.type() == DecisionEvent.Type.RESTORED || event.type() == DecisionEvent.Type.FINISHED;
    if (begins) {
      before.put(name, found.events());
    }
    if (found.events() < FIRST_EVENTS || found.events() == before.getOrDefault(name, 0L)) {
      return List.of();
    }
    said.add(name);
    return applications.stream()
        .filter(each -> each.name().equals(name))
        .flatMap(each -> EventFindings.of(found, each.input()).stream())
        .toList();
  }

  /** Returns the findings about an application at the end of the run. */
  public static List<String> atEnd(RunView view, ApplicationSettings application) {
    List<Status> statuses = statuses(view, application.name());
    List<String> lines =
        new ArrayList<>(EventFindings.of(surveyed(view, application.name()), application.input()));
    BaselineComparison.of(
            Totals.prequential(statuses),
            application.metric(),
            Totals.sum(statuses, Status::updates))
        .ifPresent(lines::add);
    if (statuses.size() == 1) {
      Status only = statuses.get(0);
      HistoryAdvice.of(only.lastLabels(), only.prequential()).ifPresent(lines::add);
    }
    return lines;
  }

  /** Returns the outcome of the input of each application. */
  public List<InputOutcome> outcomes(RunView view, boolean finished, double allowedShare) {
    return applications.stream()
        .map(each -> InputOutcome.of(surveyed(view, each.name()), finished, allowedShare))
        .toList();
  }

  /**
   * Returns why the input of an application was not learned completely; one sentence for each such
   * application.
   */
  public List<String> losses(RunView view, boolean finished, double allowedShare) {
    return applications.stream()
        .map(
            each -> {
              Surveyed found = surveyed(view, each.name());
              String reason =
                  InputOutcome.of(found, finished, allowedShare).reason(found, allowedShare);
              return reason.isEmpty() ? "" : each.name() + ": " + reason;
            })
        .filter(line -> !line.isEmpty())
        .toList();
  }
}
