package io.idlalayer.jobs.metrics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.LearnerKey;
import org.apache.flink.events.EventBuilder;
import org.apache.flink.traces.Span;
import org.apache.flink.traces.SpanBuilder;
import org.jspecify.annotations.Nullable;

/**
 * A span for each published update, and an event for what people want to know of, both with
 * application and partition as attributes.
 */
final class UpdateReports {
  private static final Class<?> SCOPE = UpdateReports.class;
  private static final double MILLIS = 1e3;

  private final LearnerKey learner;
  private final ReportedGroup group;

  UpdateReports(LearnerKey learner, ReportedGroup group) {
    this.learner = learner;
    this.group = group;
  }

  /**
   * Reports what has happened.
   *
   * @param before null before the first event
   */
  void report(@Nullable LearnerSnapshot before, LearnerSnapshot now, String message) {
    String name = name(now.type());
    if (name != null) {
      event(name, severity(now.type()), now, message);
    }
    if (now.type() == DecisionEvent.Type.PUBLISHED) {
      span(now);
    }
    boolean urgent = urgent(now);
    if (urgent != (before != null && urgent(before))) {
      event(urgent ? "UrgencyRaised" : "UrgencyNormal", "INFO", now, "");
    }
  }

  private static boolean urgent(LearnerSnapshot of) {
    return of.status().decision().grounds().basis().urgency() > 1;
  }

  private static @Nullable String name(DecisionEvent.Type type) {
    return switch (type) {
      case ABORTED -> "UpdateAborted";
      case DROPPED -> "UpdateDropped";
      case RULES -> "RulesChanged";
      case INPUT -> "InputProblem";
      case HELD -> "ModelHeld";
      case WORSE -> "ModelWorse";
      case ROLLED_BACK -> "ModelRolledBack";
      case UNCOMPARED -> "ModelUncompared";
      case RESTORED -> "LearnerRestored";
      case FINISHED -> "InputFinished";
      case STATUS, FIRED, ARRIVALS, STAGED, EXPLAINED, PUBLISHED -> null;
    };
  }

  private static String severity(DecisionEvent.Type type) {
    return switch (type) {
      case DROPPED, INPUT, HELD, WORSE, ROLLED_BACK, UNCOMPARED -> "WARN";
      default -> "INFO";
    };
  }

  private void event(String name, String severity, LearnerSnapshot now, String message) {
    EventBuilder event =
        new EventBuilder(SCOPE, name)
            .setObservedTsMillis(now.atMillis())
            .setSeverity(severity)
            .setAttribute(SubtaskMetrics.APPLICATION, learner.application())
            .setAttribute(SubtaskMetrics.PARTITION, learner.partition())
            .setBody(message)
            .setAttribute("modelVersion", now.served().version())
            .setAttribute("urgency", now.status().decision().grounds().basis().urgency());
    UpdateRecord update = now.update();
    if (update != null) {
      event.setAttribute("update", update.number());
    }
    group.offer(own -> own.addEvent(event));
  }

  /** From the decision to the publication. */
  private void span(LearnerSnapshot now) {
    UpdateRecord update = now.update();
    if (update == null) {
      return;
    }
    UpdateRecord.Firing firing = update.firing();
    UpdateRecord.Training training = update.requireTraining();
    UpdateRecord.Published published = update.requirePublished();
    SpanBuilder span =
        Span.builder(SCOPE, "Update")
            .setStartTsMillis(firing.atMillis())
            .setEndTsMillis(published.atMillis())
            .setAttribute(SubtaskMetrics.APPLICATION, learner.application())
            .setAttribute(SubtaskMetrics.PARTITION, learner.partition())
            .setAttribute("update", update.number())
            .setAttribute("version", published.version())
            .setAttribute("parentVersion", training.parentVersion())
            .setAttribute("newSamples", firing.newSamples())
            .setAttribute("replayedSamples", firing.replayedSamples())
            .setAttribute("rule", firing.grounds().rule())
            .setAttribute("reason", firing.grounds().reason())
            .setAttribute("predictedTrainingSeconds", firing.grounds().predicted().mean())
            .setAttribute("trainingSeconds", training.seconds())
            .setAttribute("lossBefore", training.meanLossBefore())
            .setAttribute("lossAfter", training.meanLossAfter());
    Long staged = now.stagedAtMillis();
    if (staged != null) {
      long begun = Math.max(firing.atMillis(), staged - Math.round(training.seconds() * MILLIS));
      span.addChild(part("Firing", firing.atMillis(), begun));
      span.addChild(part("Training", begun, staged));
      span.addChild(part("Publication", staged, Math.max(staged, published.atMillis())));
    }
    group.offer(own -> own.addSpan(span));
  }

  private static SpanBuilder part(String name, long fromMillis, long untilMillis) {
    return Span.builder(SCOPE, name).setStartTsMillis(fromMillis).setEndTsMillis(untilMillis);
  }
}
