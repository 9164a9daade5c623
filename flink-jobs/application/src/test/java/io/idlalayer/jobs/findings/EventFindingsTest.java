package io.idlalayer.jobs.findings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.survey.EventSurvey;
import io.idlalayer.jobs.survey.FieldNames;
import io.idlalayer.jobs.survey.Refused;
import io.idlalayer.jobs.topics.SampleDecoders;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.format.SampleDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sentences about public cases, in small. */
final class EventFindingsTest {
  @TempDir Path folder;

  private ApplicationSettings.Input input(String yaml) throws Exception {
    return ApplicationFiles.read(
            folder.resolve("app.yaml"),
            "name: t\ninput:\n" + yaml + "model: {type: mlp, hidden: [4]}\n")
        .input();
  }

  private static Surveyed survey(ApplicationSettings.Input input, List<String> events) {
    EventSurvey survey = new EventSurvey(input.schema());
    SampleDecoder decoder = SampleDecoders.ofInput(input);
    FieldNames names = new FieldNames(input.schema(), input.text().eventEncoding());
    for (int i = 0; i < events.size(); i++) {
      byte[] event = events.get(i).getBytes(StandardCharsets.UTF_8);
      try {
        Sample sample = decoder.decode(event);
        names.decoded(sample);
        survey.sample(sample);
      } catch (MalformedSampleException refused) {
        survey.refused(
            Refused.of(
                String.valueOf(refused.getMessage()),
                "t-samples-0",
                i,
                "in#" + (i + 1) + ", line " + (i + 2),
                event,
                event.length));
      }
      if (input.format() == ApplicationSettings.Format.JSON) {
        survey.undeclared(names.undeclared(event));
      }
    }
    return survey.surveyed(0, 0);
  }

  private List<String> findings(String yaml, String... events) throws Exception {
    ApplicationSettings.Input input = input(yaml);
    return EventFindings.of(survey(input, Arrays.asList(events)), input);
  }

  private static String[] times(int count, String... events) {
    return Collections.nCopies(count, Arrays.asList(events)).stream()
        .flatMap(List::stream)
        .toArray(String[]::new);
  }

  @Test
  void of_namesThatLookAlike_saysHowTheyDiffer() throws Exception {
    String classes =
        """
          format: csv
          columns: [x, label]
          features: [x]
          label: label
          classes: ['Z\u00fcrich', 'Genf']
        """;
    assertThat(findings(classes, times(3, "1,Zu\u0308rich", "1,Genf")))
        .contains(
            "no class has the label 'Zu\\u0308rich' (3 events); input.classes has 'Z\u00fcrich',"
                + " 'Genf'; did you mean 'Z\u00fcrich'?");
    assertThat(findings(classes, times(3, "1,Genf\u00a0", "1,Genf")))
        .anySatisfy(
            line ->
                assertThat(line)
                    .startsWith("no class has the label 'Genf\\u00a0'")
                    .endsWith("did you mean 'Genf'?"));
    assertThat(findings(classes, times(3, "1,G\u0435nf", "1,Genf")))
        .anySatisfy(
            line ->
                assertThat(line)
                    .endsWith(
                        "did you mean 'Genf' (they differ in character 2, U+0065 and U+0435)?"));
    String json = "  features: [{name: x, missing: zero}]\n  label: label\n  classes: 2\n";
    assertThat(findings(json, times(3, "{\"\u0445\": 1, \"label\": 1}")))
        .contains(
            "field 'x' was in none of 3 events, or is 0 in all; did you mean '\u0445' (they differ in character 1,"
                + " U+0445 and U+0078)?");
  }

  private static final String CSV =
      "  format: csv\n  columns: [x, y, label]\n  features: [x, y]\n  label: label\n";
  private static final String JSON_SITE =
      """
        format: json
        features: [price]
        categorical: [{name: site, buckets: 16}]
        label: clicked
        classes: ["0", "1"]
      """;

  @Test
  void of_labelsThatCountFromOne_saysSo() throws Exception {
    assertThat(findings(CSV + "  classes: 3\n", times(20, "1,1,1", "2,2,2", "3,3,3")))
        .containsExactly(
            "20 of 60 events were refused (33.3 %); 'idla letters' prints them",
            "20 x label: '3' is none of the 3 classes: '0', '1', '2'; first in in#3, line 4"
                + " (t-samples-0, offset 2): 3,3,3",
            "no class has the label '3' (20 events); input.classes has '0', '1', '2'; labels that"
                + " count from 1 need their names there: \"1\" to \"3\"",
            "class '0' never came in 40 labels");
  }

  @Test
  void of_anotherDelimiter_namesIt() throws Exception {
    assertThat(findings(CSV + "  classes: 2\n", "1;2;0"))
        .containsExactly(
            "1 of 1 events were refused (100.0 %); 'idla letters' prints them",
            "1 x row: 1 field where 3 are expected; input.delimiter is ',', and with ';' there are"
                + " 3; first in in#1, line 2 (t-samples-0, offset 0): 1;2;0");
  }

  @Test
  void of_decimalCommas_saysWhatTheSettingIs() throws Exception {
    assertThat(findings(CSV + "  delimiter: \";\"\n  classes: 2\n", times(3, "43,20;1,254;1")))
        .containsExactly(
            "3 of 3 events were refused (100.0 %); 'idla letters' prints them",
            "3 x x: '43,20' is not a number; input.decimal says which decimal separator numbers"
                + " have; first in in#1, line 2 (t-samples-0, offset 0): 43,20;1,254;1");
  }

  @Test
  void of_missingNumbers_countsEmptyAndWordsApart() throws Exception {
    assertThat(findings(CSV + "  classes: 2\n", ",1,0", ",2,1", "NA,3,1", "1,4,0", "2,5,1"))
        .hasSize(3)
        .startsWith("3 of 5 events were refused (60.0 %); 'idla letters' prints them");
  }

  @Test
  void of_aJsonNameInOtherLetters_asksForIt() throws Exception {
    assertThat(
            findings(
                JSON_SITE,
                "{\"Site\":\"A\",\"price\":1,\"clicked\":1}",
                "{\"Site\":\"B\",\"price\":2,\"clicked\":0}"))
        .containsExactly("field 'site' was in none of 2 events; did you mean 'Site'?");
  }

  @Test
  void of_aWeightInOtherLetters_asksForIt() throws Exception {
    String weighted = JSON_SITE + "  weight: {name: importance, default: 1}\n";
    String site = "{\"site\":\"%s\",\"price\":%d,\"clicked\":%d,\"%s\":%d}";
    List<String> wrong = new ArrayList<>();
    List<String> right = new ArrayList<>();
    List<String> usual = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      String name = i % 2 == 0 ? "A" : "B";
      wrong.add(site.formatted(name, i, i % 2, "Importance", 1 + 9 * (i % 2)));
      right.add(site.formatted(name, i, i % 2, "importance", 1 + 9 * (i % 2)));
      usual.add(site.formatted(name, i, i % 2, "importance", 1));
    }
    assertThat(findings(weighted, wrong.toArray(new String[0])))
        .containsExactly("field 'importance' was in none of 4 events; did you mean 'Importance'?");
    assertThat(findings(weighted, right.toArray(new String[0]))).isEmpty();
    assertThat(findings(weighted, usual.toArray(new String[0]))).isEmpty();
  }

  @Test
  void of_aNestedJsonName_saysItsPath() throws Exception {
    String yaml =
        """
          format: json
          features: [price]
          categorical: [{name: user.segment, buckets: 16}]
          label: clicked
          classes: ["0", "1"]
        """;
    assertThat(findings(yaml, "{\"user\":{\"segment\":\"A\"},\"price\":1,\"clicked\":1}"))
        .isEmpty();
    assertThat(findings(yaml, "{\"user\":{\"part\":\"A\"},\"price\":1,\"clicked\":1}"))
        .containsExactly(
            "field 'user.segment' was in none of 1 events; fields that are not declared:"
                + " 'user.part'");
    assertThat(findings(JSON_SITE, "{\"user\":{\"site\":\"A\"},\"price\":1,\"clicked\":1}"))
        .containsExactly(
            "field 'site' was in none of 1 events: it is inside of 'user'; its path is 'user.site'");
    assertThat(findings(JSON_SITE, "{\"d\":{\"u\":[{\"site\":\"A\"}]},\"price\":1,\"clicked\":1}"))
        .containsExactly(
            "field 'site' was in none of 1 events: it is inside of 'd.u[0]'; its path is"
                + " 'd.u[0].site'");
    assertThat(findings(JSON_SITE, "{\"user\":{\"Site\":\"A\"},\"price\":1,\"clicked\":1}"))
        .containsExactly("field 'site' was in none of 1 events; did you mean 'user.Site'?");
  }

  @Test
  void of_aJsonNumberInOtherLetters_asksForItInTheReason() throws Exception {
    assertThat(findings(JSON_SITE, "{\"site\":\"A\",\"Price\":1,\"clicked\":1}"))
        .containsExactly(
            "1 of 1 events were refused (100.0 %); 'idla letters' prints them",
            "1 x price: missing; did you mean 'Price'?; first in in#1, line 2 (t-samples-0, offset"
                + " 0): {\"site\":\"A\",\"Price\":1,\"clicked\":1}");
  }

  @Test
  void of_aNumberInOtherLettersThatMayBeZero_asksForIt() throws Exception {
    String yaml = "  features: [{name: age, missing: zero%s}, x]\n  label: label\n  classes: 2\n";
    String asks = "field 'age' was in none of 3 events, or is 0 in all; did you mean 'Age'?";
    String[] events = times(3, "{\"Age\": 7, \"x\": 1, \"label\": 1}");
    assertThat(findings(yaml.formatted(""), events)).containsExactly(asks);
    assertThat(findings(yaml.formatted(", missing-indicator: true"), events)).containsExactly(asks);
    assertThat(findings(yaml.formatted(""), times(3, "{\"age\": 0, \"x\": 1, \"label\": 1}")))
        .isEmpty();
  }

  @Test
  void of_aHeaderThatIsNotExpected_saysHowToPassOverIt() throws Exception {
    assertThat(findings(CSV + "  classes: 2\n", "x, y,label", "1,2,1"))
        .contains(
            "1 x x: 'x' is not a number; first in in#1, line 2 (t-samples-0, offset 0): x, y,label;"
                + " this is a header: say 'input.header: true'");
  }

  @Test
  void of_aLabelThatNeverCame_namesTheFieldsThatCame() throws Exception {
    assertThat(findings(JSON_SITE, "{\"site\":\"A\",\"price\":1,\"outcome\":1}"))
        .containsExactly(
            "field 'clicked' was in none of 1 events, so there is no label to learn from; fields"
                + " that are not declared: 'outcome'");
  }

  @Test
  void of_labelsInOtherLetters_asksForTheClass() throws Exception {
    assertThat(findings(CSV + "  classes: [yes, no]\n", "1,2,Yes"))
        .contains(
            "no class has the label 'Yes' (1 event); input.classes has 'yes', 'no'; did you mean"
                + " 'yes'?");
  }

  private static final String JSON_007 =
      """
        format: json
        features: [x]
        label: y
        classes: ["007", "7", "8"]
      """;

  @Test
  void of_labelThatIsTheNumberOfSeveralClasses_namesThem() throws Exception {
    List<String> found =
        findings(
            JSON_007,
            "{\"x\":1,\"y\":7.0}",
            "{\"x\":2,\"y\":7.0}",
            "{\"x\":3,\"y\":\"7\"}",
            "{\"x\":4,\"y\":\"007\"}");
    assertThat(found)
        .hasSize(3)
        .contains(
            "label '7.0' (2 events) as a number equals several classes, but is not written like any of them:"
                + " '007', '7'; write labels as their classes are written, as texts")
        .noneMatch(line -> line.contains("no class has"));
    assertThat(found.get(1))
        .startsWith(
            "2 x y: '7.0' as a number equals several classes, but is not written like any of them:");
  }

  @Test
  void of_labelsOfBothKinds_areToldApart() throws Exception {
    assertThat(findings(JSON_007, "{\"x\":1,\"y\":7.0}", "{\"x\":2,\"y\":9}"))
        .contains(
            "label '7.0' (1 event) as a number equals several classes, but is not written like any of them:"
                + " '007', '7'; write labels as their classes are written, as texts",
            "no class has the label '9' (1 event); input.classes has '007', '7', '8'");
    assertThat(
            findings(
                CSV + "  delimiter: \";\"\n  decimal: \",\"\n  classes: [\"7,5\", \"7,50\"]\n",
                "1;1;7,500"))
        .contains(
            "label '7,500' (1 event) as a number equals several classes, but is not written like any of them:"
                + " '7,5', '7,50'; write labels as their classes are written");
  }

  private static final String LATE =
      """
        format: json
        id: id
        features: [x, y]
        label: z
        classes: ["0", "1", "2"]
      """;

  private static List<String> event(int number) {
    String id = "{\"id\":\"e" + number + "\",";
    return List.of(id + "\"x\":" + number + ",\"y\":5}", id + "\"z\":" + number % 2 + "}");
  }

  private static String[] events(int count) {
    return IntStream.range(0, count)
        .mapToObj(EventFindingsTest::event)
        .flatMap(List::stream)
        .toArray(String[]::new);
  }

  @Test
  void of_labelsThatCameAlone_areNotCountedAsEventsOfFields() throws Exception {
    String unseen = "class '2' never came in %s labels";
    assertThat(findings(LATE, events(600)))
        .as("600 events with features, and 600 labels")
        .containsExactly(unseen.formatted("600"));
    assertThat(findings(LATE, events(1_100)))
        .containsExactly(
            unseen.formatted("1,100"),
            "field 'y' has one value in all 1,100 events with features, from which nothing can be"
                + " learned");
  }

  @Test
  void of_aFieldThatNeverCame_countsEventsWithFeatures() throws Exception {
    String yaml = JSON_SITE.replace("  format: json\n", "  format: json\n  id: id\n");
    assertThat(
            findings(
                yaml,
                "{\"id\":\"a\",\"price\":1,\"Site\":\"A\"}",
                "{\"id\":\"a\",\"clicked\":1}",
                "{\"id\":\"b\",\"price\":2,\"Site\":\"A\"}",
                "{\"id\":\"b\",\"clicked\":0}"))
        .containsExactly(
            "field 'site' was in none of 2 events with features; did you mean 'Site'?");
    assertThat(
            findings(
                yaml,
                "{\"id\":\"a\",\"site\":\"A\",\"Price\":1}",
                "{\"id\":\"b\",\"site\":\"B\",\"Price\":1,\"clicked\":1}"))
        .as("numbers that another event may bring")
        .containsExactly("field 'price' was in none of 2 events; did you mean 'Price'?");
  }

  @Test
  void of_labelsWithoutAnyFeature_saysSoAndNamesTheFields() throws Exception {
    assertThat(
            findings(
                LATE,
                "{\"id\":\"a\",\"X\":1,\"Y\":5,\"z\":1}",
                "{\"id\":\"b\",\"X\":2,\"Y\":5,\"z\":0}"))
        .containsExactly(
            "none of 2 events had a feature, so all are labels of other events; fields that are not"
                + " declared: 'X', 'Y'");
  }

  @Test
  void of_partitionOfLabelsAlone_keepsWhatTheOtherSays() throws Exception {
    ApplicationSettings.Input input = input(LATE);
    List<String> features = new ArrayList<>();
    List<String> labels = new ArrayList<>();
    for (int i = 0; i < 1_000; i++) {
      features.add(event(i).get(0));
      labels.add(event(i).get(1));
    }
    Surveyed one = survey(input, features);
    Surveyed other = survey(input, labels);
    assertThat(EventFindings.of(one.plus(other), input))
        .isEqualTo(EventFindings.of(other.plus(one), input))
        .containsExactly(
            "class '2' never came in 1,000 labels",
            "field 'y' has one value in all 1,000 events with features, from which nothing can be"
                + " learned");
    assertThat(EventFindings.of(one, input))
        .first()
        .isEqualTo("field 'z' was in none of 1,000 events, so there is no label to learn from");
  }

  @Test
  void ofSent_refusedEvents_saysThatTheyWillBe() throws Exception {
    ApplicationSettings.Input input = input(CSV + "  classes: 2\n");
    EventSurvey survey = new EventSurvey(input.schema());
    survey.refused(new Refused("x: '' is not a number", "", -1, "in.csv#3, line 4", ",1,0"));
    assertThat(EventFindings.ofSent(survey.surveyed(0, 0), input))
        .containsExactly(
            "1 of 1 events will be refused (100.0 %)",
            "1 x x: '' is not a number; first in in.csv#3, line 4: ,1,0");
  }

  @Test
  void of_constantColumns_namesThemAfterAThousandEvents() throws Exception {
    String yaml = CSV + "  classes: 2\n";
    assertThat(findings(yaml, times(499, "1,5,0", "2,5,1"))).isEmpty();
    assertThat(findings(yaml, times(500, "1,5,0", "2,5,1")))
        .containsExactly(
            "field 'y' has one value in all 1,000 events, from which nothing can be learned");
  }

  @Test
  void of_goodEvents_saysNothing() throws Exception {
    assertThat(findings(CSV + "  classes: 2\n", times(1_000, "1,5,0", "2,6,1"))).isEmpty();
    assertThat(EventFindings.of(Surveyed.NOTHING, input(CSV + "  classes: 2\n"))).isEmpty();
  }

  @Test
  void of_manyReasons_saysThree() throws Exception {
    assertThat(
            findings(
                CSV + "  classes: 2\n",
                "a,1,0",
                "1,b,0",
                "1,2,c",
                "1",
                "1,2,3,4",
                "\"1,2,0",
                ",1,0"))
        .hasSize(5);
  }
}
