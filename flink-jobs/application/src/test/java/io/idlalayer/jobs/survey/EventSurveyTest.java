package io.idlalayer.jobs.survey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.events.Surveyed;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.state.UnreadableStateException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;

public final class EventSurveyTest {
  /** Features a and b, category site, ids user, label y with classes 0 to 2, and an event id. */
  public static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(SampleSchema.DenseFeature.of("a"), SampleSchema.DenseFeature.of("b")),
          List.of(new SampleSchema.CategoricalFeature("site", 16)),
          List.of(new SampleSchema.IdFeature("user", 4)),
          new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1", "2")),
          "event");

  private final EventSurvey survey = new EventSurvey(SCHEMA);

  private static Sample sample(String id, float a, float b, int site, long user, double label) {
    return new Sample(id, new double[] {a, b}, new int[] {site}, IdLists.single(user), label);
  }

  private static Refused refused(String reason, long offset) {
    return new Refused(reason, "t-0", offset, "in.csv#" + (offset + 1), "text " + offset);
  }

  private Surveyed surveyed() {
    return survey.surveyed(0, 0);
  }

  @Test
  void refused_textsOfProducers_haveNoControlCharacters() {
    byte[] event = "\u001b[2J".getBytes(StandardCharsets.UTF_8);
    Refused refused =
        Refused.of("request: unknown field '\u001b[2J'", "t-0", 1, "a\u001b]0;b\u0007", event, 4);
    assertThat(refused.reason()).isEqualTo("request: unknown field '\\u001b[2J'");
    assertThat(refused.origin()).isEqualTo("a\\u001b]0;b\\u0007");
    assertThat(refused.example()).isEqualTo("\\u001b[2J");
  }

  @Test
  void refused_reasonsThatDifferInValues_areOneKindWithItsFirstEvent() {
    survey.refused(refused("y: '3' is none of the 3 classes: '0', '1', '2'", 4));
    survey.refused(refused("y: '4' is none of the 3 classes: '0', '1', '2'", 5));
    survey.refused(refused("a: 'it's' is not a number", 6));
    survey.refused(refused("b: 'it's' is not a number", 7));
    Surveyed found = surveyed();
    assertThat(found.events()).isEqualTo(4);
    assertThat(found.refused()).isEqualTo(4);
    assertThat(found.refusals())
        .containsExactly(
            new Surveyed.RefusedKind(
                "y: '3' is none of the 3 classes: '0', '1', '2'",
                2,
                "t-0",
                4,
                "in.csv#5",
                "text 4"),
            new Surveyed.RefusedKind(
                "a: 'it's' is not a number", 1, "t-0", 6, "in.csv#7", "text 6"),
            new Surveyed.RefusedKind(
                "b: 'it's' is not a number", 1, "t-0", 7, "in.csv#8", "text 7"));
    assertThat(found.strangeLabels())
        .containsExactly(new Surveyed.NameCount("'3'", 1), new Surveyed.NameCount("'4'", 1));
  }

  @Test
  void refused_aMillionDifferentReasons_memoryIsBoundedAndTheCommonOneIsFound() {
    for (int i = 0; i < 1_000_000; i++) {
      survey.refused(
          new Refused("reason " + letters(i) + ": " + letters(i / 3), "t-0", i, "", letters(i)));
      if (i % 10 == 0) {
        survey.refused(refused("y: '" + letters(i) + "' is none of the 3 classes", i));
      }
    }
    Surveyed found = surveyed();
    assertThat(survey.snapshot().length).isLessThan(48 * 1_200 + 32 * 100);
    assertThat(found.refused()).isEqualTo(1_100_000);
    assertThat(found.refusals()).hasSizeLessThanOrEqualTo(Surveyed.MOST);
    assertThat(found.refusals().get(0).reason()).startsWith("y: ");
    assertThat(found.refusals().get(0).count()).isBetween(80_000L, 100_000L);
  }

  /** Returns a number in letters, because numbers in reasons do not tell them apart. */
  private static String letters(int number) {
    StringBuilder text = new StringBuilder();
    for (int rest = number; rest > 0 || text.isEmpty(); rest /= 26) {
      text.append((char) ('a' + rest % 26));
    }
    return text.toString();
  }

  @Test
  void refused_longTexts_areCut() {
    String text = "x".repeat(100_000);
    survey.refused(new Refused("a: " + text, text, 1, text, text));
    Surveyed.RefusedKind only = surveyed().refusals().get(0);
    assertThat(only.reason()).hasSize(240).endsWith("...");
    assertThat(only.input()).hasSize(120);
    assertThat(only.origin()).hasSize(120);
    assertThat(only.example()).hasSize(160);
  }

  @Test
  void example_ofAnEvent_isEscapedAndCut() {
    byte[] event = ("a\u0007\t" + "\u00e9".repeat(200)).getBytes(StandardCharsets.UTF_8);
    Refused refused = Refused.of("reason", "t-0", 1, "", event, event.length);
    assertThat(refused.example()).startsWith("a\\u0007\\t\u00e9").endsWith("...");
    assertThat(refused.example().length()).isLessThanOrEqualTo(160);
  }

  @Test
  void sample_fieldsWithOneValue_areConstantOrMissing() {
    for (int i = 0; i < 10; i++) {
      survey.sample(sample("", i, 7, 0, 5, i % 2));
    }
    Surveyed found = surveyed();
    assertThat(found.missing()).isEqualTo(new Surveyed.NameList(List.of("site", "event"), 2));
    assertThat(found.constant().first())
        .extracting(Surveyed.ConstantField::field)
        .containsExactly("b", "user");
    assertThat(found.unseenClasses()).isEqualTo(new Surveyed.NameList(List.of("2"), 1));
    assertThat(found.labelled()).isEqualTo(10);
  }

  @Test
  void sample_withoutAnyLabel_hasNoLabels() {
    survey.sample(sample("e", 1, 2, 3, 4, Sample.NO_LABEL));
    survey.sample(sample("f", 1, 2, 3, 4, Sample.NO_LABEL));
    assertThat(surveyed().missing().names()).isEmpty();
    assertThat(surveyed().labels()).isZero();
    assertThat(surveyed().labelled()).isZero();
  }

  @Test
  void defaulted_itsClass_hasCome() {
    survey.sample(sample("e", 1, 2, 3, 4, Sample.NO_LABEL));
    survey.sample(sample("f", 1, 2, 3, 4, 1));
    survey.defaulted(sample("e", 1, 2, 3, 4, 0));
    assertThat(surveyed().unseenClasses().names()).containsExactly("2");
    assertThat(surveyed().labels()).isEqualTo(1);
    assertThat(surveyed().labelled()).isEqualTo(2);
  }

  @Test
  void sample_labelAlone_countsAsALabelAndNotAsAnEventWithFeatures() {
    survey.sample(sample("e", 1, 2, 3, 4, Sample.NO_LABEL));
    survey.sample(Sample.labelOf("e", 1), true);
    survey.sample(Sample.labelOf("f", 2), false);
    EventSurvey restored = new EventSurvey(SCHEMA);
    restored.restore(survey.snapshot());
    Surveyed found = restored.surveyed(0, 0);
    assertThat(found).isEqualTo(surveyed());
    assertThat(found.decoded()).isEqualTo(3);
    assertThat(found.withFeatures()).isEqualTo(1);
    assertThat(found.labels()).isEqualTo(2);
    assertThat(found.labelsOnly()).isEqualTo(2);
    assertThat(found.labelled()).isEqualTo(1);
    assertThat(found.constant().count()).isEqualTo(5);
    assertThat(found.unseenClasses().names()).containsExactly("0");
    survey.begin(0, 0);
    assertThat(surveyed()).isEqualTo(new EventSurvey(SCHEMA).surveyed(0, 0));
  }

  @Test
  void snapshot_isRestoredAndGoesOn() {
    survey.sample(sample("e", 1, 2, 3, 4, 0));
    survey.sample(sample("f", 2, 2, 3, 5, 1));
    survey.refused(refused("y: '3' is none of the 3 classes", 4));
    survey.undeclared(List.of("Site"));
    EventSurvey restored = new EventSurvey(SCHEMA);
    restored.restore(survey.snapshot());
    assertThat(restored.surveyed(0, 0)).isEqualTo(surveyed());
    restored.sample(sample("g", 3, 3, 3, 6, 2));
    Surveyed found = restored.surveyed(0, 0);
    assertThat(found.constant().first())
        .extracting(Surveyed.ConstantField::field)
        .containsExactly("site");
    assertThat(found.unseenClasses().count()).isZero();
    assertThat(found.events()).isEqualTo(4);
  }

  /** A state with four events, two of them refused, without the counts of labels. */
  private static final String EARLIER_STATE =
      "0c6576656e742073757276657901010300000000000000040203000000000000000203030000"
          + "0000000000020403000000000000000505030000000000000006060c0000008e0000001f793a"
          + "20e280a6206973206e6f6e65206f6620746865202320636c61737365730000001f793a202733"
          + "27206973206e6f6e65206f6620746865203320636c617373657300000003742d300000000869"
          + "6e2e637376233800000004746578740000000a613a206d697373696e670000000a613a206d69"
          + "7373696e6700000003742d3100000000000000027b7d07090000003000000000000000010000"
          + "0000000000000000000000000007000000000000000100000000000000000000000000000008"
          + "080c0000000700000003273327090900000010000000000000000100000000000000000a0c00"
          + "00000d000000045369746500000001410b090000002000000000000000020000000000000000"
          + "000000000000000100000000000000000c0700000030444c0308020000000100000001000000"
          + "803f650000803f000000400300000001000000010400000000000000aa8646d00d0800000008"
          + "00000000000000020e09000000080000000000000006";

  @Test
  void restore_stateOfAnEarlierProgram_hasItsLabelsAndNoLabelsAlone() {
    survey.restore(HexFormat.of().parseHex(EARLIER_STATE));
    Surveyed found = surveyed();
    assertThat(found.labels()).isEqualTo(found.labelled()).isEqualTo(2);
    assertThat(found.labelsOnly()).isZero();
    assertThat(found.withFeatures()).isEqualTo(2);
  }

  @Test
  void restore_stateOfOtherFeatures_isRefused() {
    survey.sample(sample("e", 1, 2, 3, 4, 0));
    EventSurvey other =
        new EventSurvey(
            new SampleSchema(
                List.of(),
                List.of(SampleSchema.DenseFeature.of("a")),
                List.of(),
                SCHEMA.label(),
                null));
    byte[] state = survey.snapshot();
    assertThatThrownBy(() -> other.restore(state)).isInstanceOf(UnreadableStateException.class);
  }

  @Test
  void begin_anotherInput_countsFromThere() {
    survey.sample(sample("e", 1, 2, 3, 4, 0));
    survey.refused(refused("y: '3' is none of the 3 classes", 4));
    survey.begin(10, 3);
    survey.sample(sample("f", 5, 6, 7, 8, 1));
    Surveyed found = survey.surveyed(12, 4);
    assertThat(found.events()).isEqualTo(1);
    assertThat(found.refusals()).isEmpty();
    assertThat(found.strangeLabels()).isEmpty();
    assertThat(found.lostOffsets()).isEqualTo(2);
    assertThat(found.quarantined()).isEqualTo(1);
    assertThat(found.unseenClasses().names()).containsExactly("0", "2");
  }

  @Test
  void plus_ofTwoPartitions_keepsWhatHoldsInBoth() {
    EventSurvey other = new EventSurvey(SCHEMA);
    survey.sample(sample("e", 1, 2, 0, 4, 0));
    survey.sample(sample("f", 1, 3, 0, 4, 0));
    other.sample(sample("g", 5, 3, 0, 4, 1));
    other.sample(sample("h", 5, 4, 2, 4, 1));
    Surveyed both = surveyed().plus(other.surveyed(0, 0));
    assertThat(both.events()).isEqualTo(4);
    assertThat(both.missing().names()).isEmpty();
    assertThat(both.constant().first())
        .as("a has one value in each, but another one")
        .extracting(Surveyed.ConstantField::field)
        .containsExactly("user");
    assertThat(both.unseenClasses().names()).containsExactly("2");
    assertThat(Surveyed.NOTHING.plus(both)).isEqualTo(both);
    assertThat(both.plus(Surveyed.NOTHING)).isEqualTo(both);
  }

  @Test
  void refused_bytesOfAnotherEncoding_areOneKind() {
    for (String each : List.of("0xfc", "0xf6", "0xe4")) {
      survey.refused(
          Refused.of("byte 1: " + each + " is not UTF-8", "t-0", 1, "in#1", new byte[0], 0));
    }
    assertThat(surveyed().refusals())
        .singleElement()
        .satisfies(kind -> assertThat(kind.count()).isEqualTo(3));
  }

  @Test
  void undeclared_ofEventsThatLackAField_areFound() {
    FieldNames names = new FieldNames(SCHEMA, EventEncoding.UTF_8);
    byte[] event =
        "{\"Site\":\"A\",\"a\":1,\"user\":{\"segment\":\"B\",\"deep\":[1]},\"who\":{\"x\":{}},\"y\":1}"
            .getBytes(StandardCharsets.UTF_8);
    assertThat(names.undeclared(event)).containsExactly("Site", "who.x");
    names.decoded(sample("e", 1, 2, 3, 4, 1));
    assertThat(names.undeclared(event)).as("nothing is missing").isEmpty();
    names.decoded(sample("e", 1, 2, 0, 4, 1));
    assertThat(names.undeclared(event)).containsExactly("Site", "who.x");
    assertThat(names.undeclared("[1]".getBytes(StandardCharsets.UTF_8))).isEmpty();
    assertThat(names.undeclared("{\"Z\":1,\"b".getBytes(StandardCharsets.UTF_8)))
        .containsExactly("Z");
  }

  @Test
  void undeclared_ofFieldsInsideOfOthers_areTheirPaths() {
    FieldNames names = new FieldNames(SCHEMA, EventEncoding.UTF_8);
    String event =
        "{'d':{'p':{'q':1,'a.b':{'r':[]}},'o':{}},'l':[{'s':1,'t':[[2]]},{'u':3}],'n':[1,{'v':2}],'z':0}"
            .replace('\'', '"');
    assertThat(names.undeclared(event.getBytes(StandardCharsets.UTF_8)))
        .containsExactly("d.p.q", "d.p[\"a.b\"].r", "d.o", "l[0].s", "l[0].t", "n", "z");
    String many =
        "{\"o\":{" + "\"k%d\":0,".repeat(40).replace("%d", "") + "\"k\":[{\"a\":1}]},\"z\":1}";
    assertThat(names.undeclared(many.getBytes(StandardCharsets.UTF_8))).hasSize(16);
  }

  @Test
  void undeclared_ofAnotherEncoding_areReadInIt() {
    byte[] event = "{\"Gr\u00f6\u00dfe\":\"\u00e4\"}".getBytes(StandardCharsets.ISO_8859_1);
    assertThat(new FieldNames(SCHEMA, EventEncoding.of("iso-8859-1")).undeclared(event))
        .containsExactly("Gr\u00f6\u00dfe");
  }

  @Test
  void undeclared_ofManyEvents_looksAtFewOfThem() {
    FieldNames names = new FieldNames(SCHEMA, EventEncoding.UTF_8);
    byte[] event = "{\"Site\":\"A\"}".getBytes(StandardCharsets.UTF_8);
    List<Boolean> looked = new ArrayList<>();
    for (int i = 0; i < 3_560; i++) {
      looked.add(!names.undeclared(event).isEmpty());
    }
    assertThat(looked.subList(0, 1_000)).containsOnly(true);
    assertThat(looked.subList(1_000, 3_560).stream().filter(each -> each).count()).isEqualTo(20);
  }
}
