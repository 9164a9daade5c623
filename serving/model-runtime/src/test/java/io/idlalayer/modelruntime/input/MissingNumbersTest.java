package io.idlalayer.modelruntime.input;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.data.Offset.offset;

import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.format.JsonSampleDecoder;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ModelSpecJson;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Missing numbers are the mean of their column when a sample trains or is predicted. */
final class MissingNumbersTest {
  private static final ModelSpec SPEC =
      new ModelSpec(
          new SampleSchema(
              List.of(),
              List.of(
                  new DenseFeature(
                      "age", 1, 1, new Reading(Missing.MEAN, true, List.of("NA"), List.of())),
                  new DenseFeature(
                      "at",
                      1,
                      1,
                      new Reading(Missing.ZERO, false, List.of(), List.of(TimePart.HOUR))),
                  DenseFeature.of("fare"),
                  new DenseFeature(
                      "member", 1, 1, new Reading(Missing.MEAN, false, List.of(), List.of()))),
              List.of(),
              new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
              null),
          new ModelSpec.Network.Mlp(List.of(4)),
          new ModelSpec.Fit(
              32, 2, ModelSpec.Updater.ADAM, 0.001, 0, ModelSpec.Fit.DEFAULT_TIME_LIMIT_SECONDS),
          true,
          ModelSpec.Embeddings.NONE);

  private static Sample sample(String event) throws Exception {
    return new JsonSampleDecoder(SPEC.schema()).decode(event.getBytes(StandardCharsets.UTF_8));
  }

  /** Rows in which a fifth of the ages is missing, and a quarter are members. */
  private static List<Sample> rows() throws Exception {
    List<Sample> rows = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      String age = i % 5 == 0 ? "null" : String.valueOf(20 + i % 40);
      rows.add(
          sample(
              "{\"age\":%s,\"at\":\"2024-03-05T%02d:00Z\",\"fare\":%d,\"member\":%d,\"y\":0}"
                  .formatted(age, i % 24, i % 7, i % 4 == 0 ? 1 : 0)));
    }
    return rows;
  }

  @Test
  void rows_aMissingNumber_isTheMeanOfTheOthers() throws Exception {
    List<Sample> rows = rows();
    FeatureScaler scaler =
        FeatureScaler.empty(SPEC.schema().denseWidth(), true, false).including(rows);
    NetworkInput input = new NetworkInput(SPEC);
    List<Sample> asked =
        List.of(sample("{\"fare\":1}"), sample("{\"fare\":1,\"age\":60,\"member\":1}"));
    float[] features = input.features(asked, scaler, IdVectors.NONE);
    assertThat(features).hasSize(10);
    // A scaled column has its mean at 0; a column of flags has the share of ones.
    assertThat(features[0]).isZero();
    assertThat(features[1]).isEqualTo(1);
    assertThat(features[4]).isCloseTo(0.25f, offset(0.02f));
    assertThat(features[5]).isGreaterThan(1);
    assertThat(features[6]).isZero();
    assertThat(features[9]).isEqualTo(1);
    for (float value : input.features(rows, scaler, IdVectors.NONE)) {
      assertThat(value).isFinite();
    }
  }

  @Test
  void rows_aMissingNumber_isEncodedLikeTheMeanOfTheOthers() throws Exception {
    ModelSpec members =
        new ModelSpec(SPEC.schema(), new ModelSpec.Network.Mlp(List.of(4), 2), SPEC.fit(), true);
    FeatureScaler scaler = FeatureScaler.empty(members).including(rows());
    NetworkInput input = new NetworkInput(members);
    float[] features = input.features(List.of(sample("{\"fare\":1}")), scaler, IdVectors.NONE);
    assertThat(features).hasSize(5 + 5 * 8);
    float[] encoded = Arrays.copyOfRange(features, 5, 13);
    float[] mean = new float[5 * 8];
    scaler.encoding().encode(0, scaler.mean(0), mean, 0);
    assertThat(encoded).isEqualTo(Arrays.copyOf(mean, 8));
    float sum = 0;
    for (float place : encoded) {
      sum += place;
    }
    assertThat(sum).as("the mean lies in the middle of the bins").isBetween(3f, 5f);
    for (float value : input.features(rows(), scaler, IdVectors.NONE)) {
      assertThat(value).isFinite();
    }
  }

  @Test
  void rows_beforeAnythingWasSeen_areFinite() throws Exception {
    FeatureScaler scaler = FeatureScaler.empty(SPEC.schema().denseWidth(), true, false);
    float[] features =
        new NetworkInput(SPEC).features(List.of(sample("{\"fare\":1}")), scaler, IdVectors.NONE);
    assertThat(features).containsExactly(0, 1, 0, 1, 0);
  }

  @Test
  void spec_asItIsPublished_readsMissingNumbersAndTimesAlike() throws Exception {
    assertThat(ModelSpecJson.decode(ModelSpecJson.encode(SPEC))).isEqualTo(SPEC);
    String published = new String(ModelSpecJson.encode(SPEC), StandardCharsets.UTF_8);
    String before = published.replaceAll(",\"reading\":\\{[^}]*}", "");
    assertThat(before).isNotEqualTo(published);
    SampleSchema plain = ModelSpecJson.decode(before.getBytes(StandardCharsets.UTF_8)).schema();
    assertThat(plain.dense()).allMatch(each -> each.reading().equals(Reading.PLAIN));
  }

  private static Sample of(float value) {
    return Sample.of(new double[] {value}, 0);
  }

  /** A column that few rows have, and the first ones do not. */
  @Test
  void column_thatIsMostlyMissing_isScaledLikeItsNumbers() throws Exception {
    FeatureScaler sparse = FeatureScaler.empty(1, true, false);
    FeatureScaler dense = sparse;
    SplittableRandom random = new SplittableRandom(7);
    for (int batch = 0; batch < 40; batch++) {
      // Of each ten rows one has the number; the unit changes in the middle.
      List<Sample> rows = new ArrayList<>();
      List<Sample> numbers = new ArrayList<>();
      for (int i = 0; i < 320; i++) {
        double level = 1000 + 200 * random.nextDouble();
        boolean has = batch > 0 && i % 10 == 0;
        Sample number = of((float) (batch < 20 ? level : 1000 * level));
        rows.add(has ? number : of(Float.NaN));
        if (has) {
          numbers.add(number);
        }
      }
      sparse = sparse.including(rows);
      dense = dense.including(numbers);
      assertThat(sparse.linear(0)).as("batch %d", batch).isEqualTo(dense.linear(0));
    }
    assertThat(sparse.encode()).isNotEqualTo(dense.encode());
    assertThat(FeatureScaler.decode(sparse.encode()).linear(0)).isEqualTo(sparse.linear(0));
    assertThat(sparse.dense(0, 1_100_000)).isBetween(-1.5f, 1.5f);
  }
}
