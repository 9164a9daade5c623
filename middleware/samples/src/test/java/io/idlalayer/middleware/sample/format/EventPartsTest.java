package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.MergedSample;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class EventPartsTest {
  private static SampleSchema schema(Missing missing) {
    return new SampleSchema(
        List.of("event", "price", "age", "site", "user", "clicked"),
        List.of(
            DenseFeature.of("price"),
            new DenseFeature("age", 1, 1f, new Reading(missing, false, List.of(), List.of()))),
        List.of(new CategoricalFeature("site", 16)),
        List.of(new IdFeature("user", 4)),
        new SampleSchema.Label("clicked", Task.CLASSIFICATION, List.of("0", "1")),
        "event");
  }

  private static Sample json(Missing missing, String event) throws MalformedSampleException {
    return new JsonSampleDecoder(schema(missing), EventEncoding.UTF_8, EventParts.JOINED)
        .decode(event.getBytes(StandardCharsets.UTF_8));
  }

  /** All of a sample, bit for bit. */
  private static byte[] bytes(Sample sample) {
    return new SampleCodec().encode(sample);
  }

  private static Sample csv(Missing missing, String row) throws MalformedSampleException {
    return new CsvSampleDecoder(schema(missing), TextForm.PLAIN, EventParts.JOINED)
        .decode(row.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @EnumSource(Missing.class)
  void decode_labelAndId_isALabelWhateverMissingNumbersBecome(Missing missing) throws Exception {
    for (Sample label :
        List.of(
            json(missing, "{\"event\":\"e1\",\"clicked\":1}"),
            json(
                missing,
                "{\"event\":\"e1\",\"clicked\":1,\"price\":null,\"age\":\"\",\"site\":null,\"user\":[]}"),
            json(missing, "{\"event\":\"e1\",\"clicked\":\"\\u0031\"}"),
            csv(missing, "e1,,,,,1"))) {
      assertThat(label.id()).isEqualTo("e1");
      assertThat(label.hasFeatures()).isFalse();
      assertThat(label.label()).isEqualTo(1f);
    }
  }

  @Test
  void decode_binaryLabel_isALabelOfAnIdOnly() throws Exception {
    SampleSchema schema = schema(Missing.REFUSE);
    byte[] event = new SampleCodec().encode(Sample.labelOf("e1", 1));
    assertThat(new BinarySampleDecoder(schema, EventParts.JOINED).decode(event).hasFeatures())
        .isFalse();
    assertThatThrownBy(() -> new BinarySampleDecoder(schema).decode(event))
        .hasMessageContaining("0 values where 2 are expected");
    byte[] noId = new SampleCodec().encode(Sample.labelOf("", 1));
    assertThatThrownBy(() -> new BinarySampleDecoder(schema, EventParts.JOINED).decode(noId))
        .hasMessageContaining("0 values where 2 are expected");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"clicked\":1}",
        "{\"event\":\"\",\"clicked\":1}",
        "{\"event\":\"e1\"}",
        "{\"age\":2,\"clicked\":1}"
      })
  void decode_withoutIdOrLabel_needsItsNumbers(String event) {
    assertThatThrownBy(() -> json(Missing.REFUSE, event)).hasMessage("price: missing");
  }

  @Test
  void decode_wholeEvents_needAllNumbersOfEach() {
    byte[] event = "{\"event\":\"e1\",\"clicked\":1}".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> new JsonSampleDecoder(schema(Missing.MEAN)).decode(event))
        .hasMessage("price: missing");
  }

  @ParameterizedTest
  @EnumSource(Missing.class)
  void decode_someFeatures_saysWhichAreAbsent(Missing missing) throws Exception {
    Sample part = json(missing, "{\"event\":\"e1\",\"site\":\"A\",\"clicked\":1}");
    assertThat(bytes(part)).isEqualTo(bytes(csv(missing, "e1,,,A,,1")));
    assertThat(part.absent().at(0)).isTrue();
    assertThat(part.absent().at(1)).isTrue();
    assertThat(part.absent().at(2)).isFalse();
    assertThat(part.absent().at(3)).isTrue();
    assertThat(part.absent().anyNeeded()).isTrue();
    assertThat(schema(missing).firstNeeded(part)).isEqualTo("price");
    Sample stored = new SampleCodec().decode(new SampleCodec().encode(part));
    assertThat(bytes(stored)).isEqualTo(bytes(part));
  }

  @ParameterizedTest
  @EnumSource(Missing.class)
  void merged_partsOfAnEvent_areTheWholeEvent(Missing missing) throws Exception {
    Sample whole =
        json(
            missing,
            "{\"event\":\"e\",\"price\":2,\"age\":3,\"site\":\"A\",\"user\":[7,8],\"clicked\":1}");
    List<String> parts =
        List.of(
            "{\"event\":\"e\",\"clicked\":1}",
            "{\"event\":\"e\",\"price\":2}",
            "{\"event\":\"e\",\"age\":3}",
            "{\"event\":\"e\",\"site\":\"A\",\"user\":[7,8]}");
    for (int first = 0; first < parts.size(); first++) {
      Sample sample = json(missing, parts.get(first));
      for (int i = 1; i < parts.size(); i++) {
        MergedSample merged =
            MergedSample.of(sample, json(missing, parts.get((first + i) % parts.size())));
        assertThat(merged.adds()).isTrue();
        assertThat(merged.changes()).isFalse();
        sample = merged.sample();
      }
      assertThat(sample).usingRecursiveComparison().isEqualTo(whole);
      assertThat(ContentHasher.of(sample)).isEqualTo(ContentHasher.of(whole));
      assertThat(MergedSample.of(sample, whole).saysNothing()).isTrue();
    }
  }

  @Test
  void merged_otherValue_prevailsInItsFieldOnly() throws Exception {
    Sample stored =
        json(Missing.ZERO, "{\"event\":\"e\",\"price\":2,\"age\":3,\"site\":\"A\",\"user\":[7,8]}");
    MergedSample merged =
        MergedSample.of(
            stored, json(Missing.ZERO, "{\"event\":\"e\",\"age\":0,\"user\":[8],\"clicked\":0}"));
    assertThat(merged.changes()).isTrue();
    assertThat(merged.sample())
        .usingRecursiveComparison()
        .isEqualTo(
            json(
                Missing.ZERO,
                "{\"event\":\"e\",\"price\":2,\"age\":0,\"site\":\"A\",\"user\":[8],\"clicked\":0}"));
  }
}
