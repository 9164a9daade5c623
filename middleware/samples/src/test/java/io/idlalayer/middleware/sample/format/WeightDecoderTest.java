package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class WeightDecoderTest {
  private static SampleSchema schema(double otherwise) {
    return new SampleSchema(
        List.of("event", "x", "w", "y"),
        List.of(DenseFeature.of("x")),
        List.of(),
        List.of(),
        new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("0", "1")),
        "event",
        new SampleSchema.Weight("w", otherwise));
  }

  private static Sample json(String event, double otherwise, EventParts parts)
      throws MalformedSampleException {
    byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
    JsonSampleDecoder decoder =
        new JsonSampleDecoder(schema(otherwise), EventEncoding.UTF_8, parts);
    Sample sample = decoder.decode(bytes);
    assertThat(bytes(decoder.parsed(bytes))).isEqualTo(bytes(sample));
    return sample;
  }

  private static Sample csv(String row, double otherwise) throws MalformedSampleException {
    return new CsvSampleDecoder(schema(otherwise), TextForm.PLAIN)
        .decode(row.getBytes(StandardCharsets.UTF_8));
  }

  private static byte[] bytes(Sample sample) {
    return new SampleCodec().encode(sample);
  }

  @ParameterizedTest
  @CsvSource({"2,2", "0,0", "-0,0", "0.125,0.125", "1,1", "1e3,1000"})
  void decode_aWeight_isThatOfTheSample(String written, double weight) throws Exception {
    for (Sample sample :
        List.of(
            json("{\"x\":1,\"w\":" + written + ",\"y\":1}", Double.NaN, EventParts.WHOLE),
            json("{\"x\":1,\"w\":\"" + written + "\",\"y\":1}", Double.NaN, EventParts.JOINED),
            csv(",1," + written + ",1", Double.NaN))) {
      assertThat(sample.weight()).isEqualTo(weight);
      Sample stored = new SampleCodec().decode(bytes(sample));
      assertThat(stored.weight()).isEqualTo(weight);
      assertThat(ContentHasher.of(stored)).isEqualTo(ContentHasher.of(sample));
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-1|w: '-1' is below 0; a weight is at least 0",
        "NaN|w: NaN is not a finite number",
        "Infinity|w: Infinity is not a finite number",
        "1e39|w: 1.0E39 is not a finite number of 32 bits, at most 3.4e38",
        "many|w: 'many' is not a number",
        "true|w: 'true' is not a number"
      })
  void decode_noWeight_isRefusedWithTheReasonAlsoWithADefault(String written, String reason) {
    for (double otherwise : new double[] {Double.NaN, 1}) {
      assertThatThrownBy(() -> csv(",1," + written + ",1", otherwise)).hasMessage(reason);
      assertThatThrownBy(
              () ->
                  json("{\"x\":1,\"w\":\"" + written + "\",\"y\":1}", otherwise, EventParts.WHOLE))
          .hasMessage(reason);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"x\":1,\"y\":1}",
        "{\"x\":1,\"w\":null,\"y\":1}",
        "{\"x\":1,\"w\":\"\",\"y\":1}"
      })
  void decode_withoutWeight_isRefusedOrHasTheDefault(String event) throws Exception {
    for (EventParts parts : EventParts.values()) {
      assertThatThrownBy(() -> json(event, Double.NaN, parts)).hasMessage("w: missing");
      assertThat(json(event, 0.5, parts).weight()).isEqualTo(0.5);
    }
    assertThat(csv(",1,,1", 0.5).weight()).isEqualTo(0.5);
    assertThatThrownBy(() -> csv(",1,,1", Double.NaN)).hasMessage("w: missing");
  }

  @Test
  void decode_withoutLabel_needsNoWeight() throws Exception {
    assertThat(json("{\"x\":1}", Double.NaN, EventParts.WHOLE).weight()).isEqualTo(1);
  }

  @Test
  void decode_partOfAnEvent_leavesTheWeightToAnotherPart() throws Exception {
    for (double otherwise : new double[] {Double.NaN, 1}) {
      assertThat(json("{\"event\":\"e\",\"x\":1}", otherwise, EventParts.JOINED).weight()).isNaN();
      assertThat(json("{\"event\":\"e\",\"y\":1}", otherwise, EventParts.JOINED).weight()).isNaN();
      Sample label = json("{\"event\":\"e\",\"y\":1,\"w\":3}", otherwise, EventParts.JOINED);
      assertThat(label.hasFeatures()).isFalse();
      assertThat(label.weight()).isEqualTo(3);
    }
  }

  @Test
  void decode_binaryEventWithAWeight_isRefused() {
    SampleSchema schema = schema(Double.NaN);
    byte[] event = bytes(Sample.of(new double[] {1}, 1).withWeight(2));
    assertThatThrownBy(() -> new BinarySampleDecoder(schema).decode(event))
        .hasMessage("flags: a weight, which no binary event may have");
  }

  @Test
  void content_ofAnotherWeight_isAnotherContent() {
    Sample sample = Sample.of(new double[] {1}, 1);
    assertThat(ContentHasher.of(sample.withWeight(2))).isNotEqualTo(ContentHasher.of(sample));
  }
}
