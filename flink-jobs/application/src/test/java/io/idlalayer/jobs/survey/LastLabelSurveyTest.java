package io.idlalayer.jobs.survey;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.LastLabel;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.middleware.sample.Sample;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class LastLabelSurveyTest {
  @TempDir Path folder;

  private static final String TARGETS =
      """
      name: bikes
      input:
        format: FORMAT
        features: [temperature]
        categorical:
          - {name: station, buckets: 4}
          - {name: weather, buckets: 70000}
        label: bikes
        task: regression
      """;

  private LastLabelSurvey survey(String file) throws Exception {
    return LastLabelSurvey.of(ApplicationFiles.read(folder.resolve("bikes.yaml"), file));
  }

  private static Sample of(int station, double label) {
    return new Sample("", new double[] {20}, new int[] {station, 0}, label);
  }

  @Test
  void results_labelsOfTwoStationsInTurn_areThoseOfEachKey() throws Exception {
    LastLabelSurvey survey = survey(TARGETS.replace("FORMAT", "json"));
    for (int i = 0; i < 10; i++) {
      survey.add(of(1, i));
      survey.add(of(3, 100 + i));
    }
    // In turn the labels differ by 100 and 99, those of a station by 1. Weather has too many keys.
    assertThat(survey.results())
        .containsExactly(
            new LastLabel("", 19, null, (10 * 100 + 9 * 99) / 19.0),
            new LastLabel("station", 18, null, 1.0));
  }

  @Test
  void results_classes_countThoseThatRepeat() throws Exception {
    LastLabelSurvey survey =
        survey(
            TARGETS
                .replace("FORMAT", "json")
                .replace("task: regression", "classes: [\"empty\", \"full\"]"));
    survey.add(of(1, 1));
    assertThat(survey.results()).isEmpty();
    survey.add(of(1, 1));
    survey.add(of(2, 0));
    assertThat(survey.results())
        .containsExactly(new LastLabel("", 2, 0.5, null), new LastLabel("station", 1, 1.0, null));
  }

  @Test
  void results_weightedSamples_countByTheirWeights() throws Exception {
    LastLabelSurvey survey =
        survey(
            TARGETS
                .replace("FORMAT", "json")
                .replace(
                    "task: regression", "classes: [\"empty\", \"full\"]\n  weight: importance"));
    survey.add(of(1, 0).withWeight(0));
    survey.add(of(1, 0).withWeight(0));
    assertThat(survey.results()).as("of weight 0 only").isEmpty();
    survey.add(of(1, 0));
    survey.add(of(1, 1).withWeight(99));
    assertThat(survey.results())
        .containsExactly(new LastLabel("", 3, 0.01, null), new LastLabel("station", 3, 0.01, null));
  }

  @Test
  void results_fieldThatAnEventLacks_isNoKey() throws Exception {
    LastLabelSurvey survey = survey(TARGETS.replace("FORMAT", "json"));
    survey.add(of(1, 1));
    survey.add(of(0, 1));
    survey.add(of(1, 1));
    assertThat(survey.results()).extracting(LastLabel::field).containsExactly("");
  }

  @Test
  void of_applicationWithAHistory_isNone() throws Exception {
    assertThat(survey(TARGETS.replace("FORMAT", "json") + "history: {key: station}\n")).isNull();
  }

  @Test
  void of_applicationThatCanKeepNone_isNone() throws Exception {
    assertThat(survey(TARGETS.replace("FORMAT", "json") + "model: {standardize: false}\n"))
        .isNull();
    assertThat(survey(TARGETS.replace("FORMAT", "json") + "partitions: 2\n")).isNull();
  }

  @Test
  void results_formatWithoutNamedKeys_isOfOneKeyOnly() throws Exception {
    LastLabelSurvey survey = survey(TARGETS.replace("FORMAT", "binary"));
    survey.add(of(0, 1));
    survey.add(of(0, 2));
    assertThat(survey.results()).containsExactly(new LastLabel("", 1, null, 1.0));
  }
}
