package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.IdKeys;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class KeyDecoderTest {
  private static SampleSchema schema(String key) {
    return new SampleSchema(
            List.of("event", "station", "x", "y"),
            List.of(DenseFeature.of("x")),
            List.of(new CategoricalFeature("station", 16)),
            new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("0", "1")),
            "event")
        .with(new SampleSchema.History(key, 1, true, 10));
  }

  private static Sample json(String event, String key, EventParts parts)
      throws MalformedSampleException {
    byte[] bytes = event.getBytes(StandardCharsets.UTF_8);
    JsonSampleDecoder decoder = new JsonSampleDecoder(schema(key), EventEncoding.UTF_8, parts);
    Sample sample = decoder.decode(bytes);
    assertThat(new SampleCodec().encode(decoder.parsed(bytes)))
        .isEqualTo(new SampleCodec().encode(sample));
    return sample;
  }

  @Test
  void decode_aKey_isKnownByItsHashInEachFormat() throws Exception {
    Sample csv =
        new CsvSampleDecoder(schema("station"), TextForm.PLAIN)
            .decode("e,Mitte,1,".getBytes(StandardCharsets.UTF_8));
    Sample feature = json("{\"x\":1,\"station\":\"Mitte\"}", "station", EventParts.WHOLE);
    Sample alone = json("{\"x\":1,\"at\":\"Mitte\"}", "at", EventParts.WHOLE);
    for (Sample sample : List.of(csv, feature, alone)) {
      assertThat(sample.context().key()).isEqualTo(IdKeys.of("Mitte"));
      assertThat(sample.context().known()).isFalse();
    }
    assertThat(feature.categorical()[0]).isPositive();
    assertThat(json("{\"x\":1,\"at\":7}", "at", EventParts.WHOLE).context().key())
        .isEqualTo(IdKeys.of("7"));
  }

  /** The second key was made to have the hash of the first, which is known without a secret. */
  @Test
  void decode_keysThatWereMadeToMeet_differWithASecret() throws Exception {
    String event = "{\"x\":1,\"at\":\"%s\"}";
    SampleSchema secret = schema("at").with(HashKey.parse("000102030405060708090a0b0c0d0e0f"));
    List<Long> open = new ArrayList<>();
    List<Long> hidden = new ArrayList<>();
    for (String key : List.of("u1", ":NafzqsV]u]GXah7", "u1")) {
      byte[] bytes = event.formatted(key).getBytes(StandardCharsets.UTF_8);
      open.add(new JsonSampleDecoder(schema("at")).decode(bytes).context().key());
      JsonSampleDecoder decoder = new JsonSampleDecoder(secret);
      hidden.add(decoder.decode(bytes).context().key());
      assertThat(decoder.parsed(bytes).context().key()).isEqualTo(hidden.get(hidden.size() - 1));
    }
    assertThat(Set.copyOf(open)).hasSize(1);
    assertThat(hidden.get(1)).isNotEqualTo(hidden.get(0));
    assertThat(hidden.get(2)).isEqualTo(hidden.get(0)).isNotEqualTo(open.get(0));
  }

  @Test
  void with_anotherLabel_keepsTheHistory() {
    SampleSchema.Label rate = new SampleSchema.Label("y", Task.REGRESSION, List.of());
    assertThat(schema("at").with(rate).history()).isEqualTo(schema("at").history());
  }

  @Test
  void decode_noKey_isRefusedUnlessAnotherEventMayBringIt() throws Exception {
    for (String event : List.of("{\"x\":1}", "{\"x\":1,\"at\":\"\"}", "{\"x\":1,\"at\":null}")) {
      assertThatThrownBy(() -> json(event, "at", EventParts.WHOLE)).hasMessage("at: missing");
      assertThatThrownBy(() -> json(event, "at", EventParts.JOINED)).hasMessage("at: missing");
    }
    Sample part = json("{\"event\":\"e\",\"x\":1}", "at", EventParts.JOINED);
    assertThat(schema("at").lacksKey(part)).isTrue();
    assertThat(schema("at").firstNeeded(part)).isEqualTo("at");
    Sample label = json("{\"event\":\"e\",\"y\":1}", "at", EventParts.JOINED);
    assertThat(schema("at").lacksKey(label)).isFalse();
  }

  @Test
  void decode_eventsOfOneKeyWithoutName_needNone() throws Exception {
    assertThat(json("{\"x\":1}", null, EventParts.WHOLE).context().hasKey()).isFalse();
    assertThat(schema(null).lacksKey(Sample.of(new double[1], 0))).isFalse();
  }

  @Test
  void encode_aContext_comesBackAndIsNoContent() throws Exception {
    Sample plain = json("{\"x\":1,\"at\":\"Mitte\"}", "at", EventParts.WHOLE);
    Sample stored =
        plain.withContext(
            new KeyContext(plain.context().key(), 5, new double[] {0, 1, Double.NaN, 0.1}));
    byte[] bytes = new SampleCodec().encode(stored);
    Sample read = new SampleCodec().decode(bytes);
    assertThat(read.context().key()).isEqualTo(IdKeys.of("Mitte"));
    assertThat(read.context().order()).isEqualTo(5);
    assertThat(read.context().values()).isEqualTo(new double[] {0, 1, Double.NaN, 0.1});
    assertThat(new SampleCodec().encode(read)).isEqualTo(bytes);
    assertThat(ContentHasher.of(stored)).isEqualTo(ContentHasher.of(plain));
    assertThat(stored.context().mixedInto(1)).isNotEqualTo(plain.context().mixedInto(1));
    BinarySampleDecoder binary = new BinarySampleDecoder(schema("at"), EventParts.WHOLE);
    assertThatThrownBy(() -> binary.decode(bytes)).hasMessageContaining("a key");
  }

  @Test
  void decode_aDamagedContext_isRefused() throws Exception {
    Sample sample =
        json("{\"x\":1,\"at\":\"Mitte\"}", "at", EventParts.WHOLE)
            .withContext(new KeyContext(IdKeys.of("Mitte"), 5, new double[4]));
    byte[] bytes = new SampleCodec().encode(sample);
    for (int i = 0; i < bytes.length; i++) {
      byte[] damaged = bytes.clone();
      damaged[i] ^= 0x10;
      assertThatThrownBy(() -> new SampleCodec().decode(damaged))
          .isInstanceOf(MalformedSampleException.class);
    }
  }
}
