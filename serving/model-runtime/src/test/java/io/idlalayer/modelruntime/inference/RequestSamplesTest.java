package io.idlalayer.modelruntime.inference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.TimePart;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tensors for features that may be missing, or are time stamps. */
final class RequestSamplesTest {
  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(
              new DenseFeature("age", 1, 1, new Reading(Missing.MEAN, true, List.of(), List.of())),
              new DenseFeature(
                  "at",
                  1,
                  1,
                  new Reading(Missing.REFUSE, false, List.of(), List.of(TimePart.HOUR)))),
          List.of(),
          new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
          null);

  private static InferenceTensor numbers(String name, int width, double... values) {
    Elements elements = new Elements(true);
    for (double value : values) {
      elements.add(value);
    }
    int[] shape = width == 1 ? new int[] {values.length} : new int[] {values.length / width, width};
    return new InferenceTensor(name, Datatype.FP64, shape, elements);
  }

  private static InferenceTensor texts(String name, String... values) {
    Elements elements = new Elements(false);
    for (String value : values) {
      elements.addString(value);
    }
    return new InferenceTensor(name, Datatype.BYTES, new int[] {values.length}, elements);
  }

  private static double[] only(InferenceTensor... inputs) throws InferenceException {
    return RequestSamples.of(SCHEMA, List.of(inputs)).get(0).dense();
  }

  @Test
  void of_aFeatureThatIsMissing_isAsInEvents() throws Exception {
    double[] missing = {Float.NaN, 1, 18};
    assertThat(only(texts("at", "2024-03-05T18:00"))).containsExactly(missing);
    assertThat(only(numbers("age", 1, Double.NaN), texts("at", "2024-03-05T18:00")))
        .containsExactly(missing);
    assertThat(only(texts("events", "{\"at\":\"2024-03-05T18:00\"}"))).containsExactly(missing);
    assertThat(only(numbers("age", 1, 7), numbers("at", 1, 1_709_661_600)))
        .containsExactly(7, 0, 18);
    assertThat(only(numbers("features", 2, 7, 1_709_661_600))).containsExactly(7, 0, 18);
  }

  @Test
  void of_halfASurrogatePair_isRefused() {
    SampleSchema schema =
        new SampleSchema(
            List.of(),
            List.of(),
            List.of(new SampleSchema.CategoricalFeature("c", 1000)),
            List.of(new SampleSchema.IdFeature("u", 2)),
            SCHEMA.label(),
            null);
    for (String name : List.of("c", "u", "events")) {
      String text = name.equals("events") ? "{\"c\":\"\ud800\"}" : "\ud800";
      assertThatThrownBy(() -> RequestSamples.of(schema, List.of(texts(name, text))))
          .as(name)
          .isInstanceOf(InferenceException.class)
          .hasMessageContaining("input '" + name + "', row 0: ")
          .hasMessageContaining("is half of a character");
    }
  }

  @Test
  void of_aFeatureThatIsNeeded_isRefusedWithoutIt() {
    assertThatThrownBy(() -> only(numbers("age", 1, 7)))
        .hasMessageContaining("input 'at' is missing");
    assertThatThrownBy(() -> only(texts("at", "yesterday")))
        .hasMessageContaining("input 'at', row 0: at: 'yesterday' is not a time stamp");
  }
}
