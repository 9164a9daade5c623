package io.idlalayer.jobs.proposal;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.NumberNotation;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class LabelTaskTest {
  private static final int ROWS = 60;

  /** Returns the task of a label whose values come one after the other, again and again. */
  private static LabelTask of(@Nullable Task said, String... values) throws Exception {
    String[] rows = new String[ROWS];
    Arrays.setAll(rows, i -> values[i % values.length]);
    FieldProfile label = new FieldProfile("label", rows, NumberNotation.PLAIN);
    return LabelTask.of(label, said);
  }

  private static void assertEachRowHasItsClass(LabelTask task, int classes) {
    assertThat(task.classes()).hasSize(classes);
    assertThat(IntStream.range(0, ROWS).mapToObj(i -> task.values()[i]))
        .containsExactlyElementsOf(
            IntStream.range(0, ROWS).mapToObj(i -> (double) (i % classes)).toList());
  }

  @Test
  void of_wholeNumbersBeyondAnInt_areClasses() throws Exception {
    LabelTask task = of(null, "3000000001", "3000000002", "3000000003");
    assertThat(task.classes()).containsExactly("3000000001", "3000000002", "3000000003");
    assertEachRowHasItsClass(task, 3);
    assertThat(of(null, "-9000000002", "-9000000001", "-9000000000").classes())
        .containsExactly("-9000000002", "-9000000001", "-9000000000");
  }

  @Test
  void of_wholeNumbersBeyondADouble_areClassesByTheirTexts() throws Exception {
    LabelTask task =
        of(null, "9007199254740992", "9007199254740993", "90071992547409930000000000000000000001");
    assertThat(task.classes())
        .containsExactly(
            "9007199254740992", "9007199254740993", "90071992547409930000000000000000000001");
    assertEachRowHasItsClass(task, 3);
  }

  @Test
  void of_truthInManyForms_isTwoClasses() throws Exception {
    LabelTask words = of(null, "false", "True", "FALSE", "true", "False", "TRUE");
    assertThat(words.classes()).containsExactly("false", "true");
    assertThat(words.values()).startsWith(0, 1, 0, 1, 0, 1);
    assertThat(of(null, "False", "True").classes()).containsExactly("False", "True");
    assertThat(of(null, "TRUE", "false").classes()).containsExactly("false", "true");
    LabelTask mixed = of(null, "false", "1", "0.0", "true", "0", "1e0");
    assertThat(mixed.task()).isEqualTo(Task.CLASSIFICATION);
    assertThat(mixed.classes()).containsExactly("0", "1");
    assertThat(mixed.values()).startsWith(0, 1, 0, 1, 0, 1);
  }

  @Test
  void of_spacesAroundTexts_areNoClasses() throws Exception {
    LabelTask task = of(null, "no", "yes ", " no", " yes");
    assertThat(task.classes()).containsExactly("no", "yes");
    assertThat(task.values()).startsWith(0, 1, 0, 1);
    assertThat(task.note()).isEmpty();
  }

  @Test
  void of_textsThatMayMeanTheSame_areSaid() throws Exception {
    assertThat(of(null, "No", "yes", "no").note()).contains("'No' and 'no' differ in capital");
    assertThat(of(null, "no", "yes", "NA").note()).contains("'NA' is a class here");
    assertThat(of(null, "0", "1", "?").note()).contains("'?' is a class here");
  }

  @Test
  void of_gapsBetweenWholeNumbers_areFilledIfFew() throws Exception {
    assertThat(of(null, "1", "2", "5").classes()).containsExactly("1", "2", "3", "4", "5");
    assertThat(of(null, "1", "2", "500").classes()).containsExactly("1", "2", "500");
    assertThat(of(null, "1.0", "2.00", "3").classes()).containsExactly("1", "2", "3");
  }
}
