package io.idlalayer.jobs.predictions;

import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.jobs.survey.EventSurveyTest;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.testkit.StateFormatsContract;
import java.util.List;
import java.util.stream.Stream;

/** The states of what is noticed in events, and of where their predictions end. */
final class StateFormatsTest extends StateFormatsContract {
  StateFormatsTest() {
    super(UnreadableStateException.class);
  }

  @Override
  protected String sources() {
    return "src/main/java/io/idlalayer/jobs";
  }

  @Override
  protected Stream<PinnedState> states() {
    return Stream.of(
        new PinnedState(
            "event-survey",
            () -> survey().snapshot(),
            bytes -> {
              EventSurvey survey = new EventSurvey(EventSurveyTest.SCHEMA);
              survey.restore(bytes);
              return survey.snapshot();
            }),
        new PinnedState(
            "predictions",
            () -> new PredictionEnd("/data/predictions.csv", 1234).encode(),
            bytes -> PredictionEnd.decode(bytes).encode()));
  }

  private static EventSurvey survey() {
    EventSurvey survey = new EventSurvey(EventSurveyTest.SCHEMA);
    survey.begin(5, 6);
    survey.sample(new Sample("e", new double[] {1, 2}, new int[] {3}, IdLists.single(4), 1));
    survey.sample(new Sample("f", new double[] {1, 3}, new int[] {3}, IdLists.single(5), 2));
    survey.refused(new Refused("y: '3' is none of the 3 classes", "t-0", 7, "in.csv#8", "text"));
    survey.refused(new Refused("a: missing", "t-1", 8, "", "{}"));
    survey.undeclared(List.of("Site", "A"));
    survey.undeclared(List.of("Site"));
    return survey;
  }
}
