package io.idlalayer.jobs.metrics;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.settings.LearnerKey;
import java.util.Locale;
import org.apache.flink.events.EventBuilder;
import org.apache.flink.traces.Span;
import org.apache.flink.traces.SpanBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Reports a span for each update that has ended, whatever its outcome, and an event for each
 * occurrence that people who operate the job should know. Both have application and partition as
 * attributes.
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
   * Reports the span and the event for a learner's decision event, if there are any.
   *
   * @param before the facts before the decision event; null if this is the first event
   */
  void report(@Nullable LearnerSnapshot before, LearnerSnapshot now, String message) {
    String name = name(now.type());
    if (name != null) {
      event(name, severity(now.type()), now, message);
    }
    UpdateRecord update = now.update();
    String outcome = update == null ? null : outcome(now.type(), update);
    if (update != null && outcome != null) {
      span(now, update, outcome);
    }
    boolean urgent = urgency(now) > 1;
    boolean was = before != null && urgency(before) > 1;
    if (urgent && !was) {
      String times = String.format(Locale.ROOT, "%.3g", urgency(now));
      event(
          "UrgencyRaised",
          "INFO",
          now,
          "the model gets worse: a waiting sample now costs " + times + " times as much");
    } else if (was && !urgent) {
      event("UrgencyNormal", "INFO", now, "a waiting sample costs as much as usual again");
    }
  }

  private static double urgency(LearnerSnapshot of) {
    return of.status().decision().grounds().basis().urgency();
  }

  private static @Nullable String name(DecisionEvent.Type type) {
    return switch (type) {
      case ABORTED -> "UpdateAborted";
      case DROPPED -> "UpdateDropped";
      case RULES -> "RulesChanged";
      case INPUT -> "InputProblem";
      case MEMORY -> "MemoryDivided";
      case HELD -> "ModelHeld";
      case WORSE -> "ModelWorse";
      case ROLLED_BACK -> "ModelRolledBack";
      case UNCOMPARED -> "ModelUncompared";
      case RESTORED -> "LearnerRestored";
      case FINISHED -> "InputFinished";
      case STATUS, FIRED, ARRIVALS, STAGED, PLANNED, EXPLAINED, PUBLISHED, MIXED, FORGOTTEN -> null;
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
            .setAttribute("urgency", urgency(now));
    UpdateRecord update = now.update();
    if (update != null) {
      event.setAttribute("update", update.number());
    }
    group.offer(own -> own.addEvent(event));
  }

  /** Returns how an update ended; null if it has not ended. */
  private static @Nullable String outcome(DecisionEvent.Type type, UpdateRecord update) {
    return switch (type) {
      case PUBLISHED -> "published";
      case ABORTED -> "aborted";
      case DROPPED -> update.training() == null ? "dropped" : "not published";
      case HELD -> "held";
      default -> null;
    };
  }

  /** Reports the span from the decision to the end of the update. */
  private void span(LearnerSnapshot now, UpdateRecord update, String outcome) {
    UpdateRecord.Firing firing = update.firing();
    UpdateRecord.Training training = update.training();
    UpdateRecord.Published published = update.published();
    long endMillis =
        Math.max(firing.atMillis(), published == null ? now.atMillis() : published.atMillis());
    SpanBuilder span =
        Span.builder(SCOPE, "Update")
            .setStartTsMillis(firing.atMillis())
            .setEndTsMillis(endMillis)
            .setAttribute(SubtaskMetrics.APPLICATION, learner.application())
            .setAttribute(SubtaskMetrics.PARTITION, learner.partition())
            .setAttribute("update", update.number())
            .setAttribute("outcome", outcome)
            .setAttribute("newSamples", firing.newSamples())
            .setAttribute("replayedSamples", firing.replayedSamples())
            .setAttribute("rule", firing.grounds().rule())
            .setAttribute("reason", firing.grounds().reason())
            .setAttribute("predictedTrainingSeconds", firing.grounds().predicted().mean());
    if (published != null) {
      span.setAttribute("version", published.version());
    }
    if (training != null) {
      span.setAttribute("parentVersion", training.parentVersion())
          .setAttribute("trainingSeconds", training.seconds())
          .setAttribute("lossBefore", training.meanLossBefore())
          .setAttribute("lossAfter", training.meanLossAfter());
      addParts(span, now.stagedAtMillis(), firing.atMillis(), training, endMillis);
    }
    group.offer(own -> own.addSpan(span));
  }

  private static void addParts(
      SpanBuilder span,
      @Nullable Long stagedMillis,
      long firedMillis,
      UpdateRecord.Training training,
      long endMillis) {
    if (stagedMillis == null) {
      return;
    }
    long begunMillis =
        Math.max(firedMillis, stagedMillis - Math.round(training.seconds() * MILLIS));
    span.addChild(part("Firing", firedMillis, begunMillis));
    span.addChild(part("Training", begunMillis, stagedMillis));
    span.addChild(part("Publication", stagedMillis, Math.max(stagedMillis, endMillis)));
  }

  private static SpanBuilder part(String name, long fromMillis, long untilMillis) {
    return Span.builder(SCOPE, name).setStartTsMillis(fromMillis).setEndTsMillis(untilMillis);
  }
}
