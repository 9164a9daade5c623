package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.intake.EventRecord;
import io.idlalayer.datacontroller.intake.LostLabel;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.LearnerIdentity;
import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.jobs.topics.DeadLetter;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.Shown;
import java.util.List;
import java.util.Locale;

/**
 * Sends to the dead letters the events that only a learner can refuse, because the refusal depends
 * on other events: parts of an event whose other parts are not stored, and labels whose events did
 * not come.
 */
final class RefusedEvents {
  private static final int TEXT_MAX = 100;
  private static final double MILLIS_PER_SECOND = 1e3;

  private final LearnerIdentity identity;
  private final EventSurvey survey;
  private final LearnerOutput output;

  RefusedEvents(LearnerIdentity identity, EventSurvey survey, LearnerOutput output) {
    this.identity = identity;
    this.survey = survey;
    this.output = output;
  }

  /** Refuses an event that lacks a value that no earlier event with its id has. */
  void incomplete(LearnerEvent.SampleArrived event) {
    String missing = schema().firstNeeded(event.sample());
    DeadLetter letter =
        letter(event.record(), missing + ": missing, and no earlier event with its id has it");
    survey.refused(
        Refused.of(
            letter.reason(),
            new InputPosition(letter.topic(), letter.partition(), letter.offset()).name(),
            letter.offset(),
            letter.origin(),
            letter.event(),
            letter.length()));
    output.refused(letter);
  }

  /** Refuses a label without an event. The survey counted the label when it came. */
  void lost(LostLabel lost) {
    output.refused(letter(lost.record(), reason(lost)));
  }

  private DeadLetter letter(EventRecord record, String reason) {
    return new DeadLetter(
        identity.key().application(),
        record.topic(),
        record.partition(),
        record.offset(),
        reason,
        record.origin(),
        record.event(),
        record.length());
  }

  private String reason(LostLabel lost) {
    Sample label = lost.label();
    String why =
        switch (lost.cause()) {
          case WAITED ->
              String.format(
                  Locale.ROOT,
                  "within %s s (selection.label-wait)",
                  seconds(identity.settings().data().labelWaitMillis()));
          case TOO_MANY ->
              String.format(
                  Locale.ROOT,
                  "before more than %d samples and labels waited (selection.max-unlabeled)",
                  identity.settings().data().maxUnlabeled());
          case FULL -> "before the store was full (selection.max-samples, selection.max-bytes)";
        };
    return String.format(
        Locale.ROOT,
        "%s: no event with the id %s came for its label %s %s",
        schema().id(),
        Shown.of(label.id(), TEXT_MAX),
        Shown.of(text(label.label()), TEXT_MAX),
        why);
  }

  private String text(double label) {
    List<String> classes = schema().label().classes();
    return classes.isEmpty() ? number(label) : classes.get((int) label);
  }

  private static String seconds(long millis) {
    return number(millis / MILLIS_PER_SECOND);
  }

  private static String number(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1L << 53
        ? Long.toString((long) value)
        : Double.toString(value);
  }

  private SampleSchema schema() {
    return identity.settings().input().schema();
  }
}
