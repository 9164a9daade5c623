package io.idlalayer.modelruntime.artifact;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Where a lineage began, and how long its weights follow the scale. */
final class ModelStartTest {
  private static FeatureScaler scaler(int samples) throws InterruptedException {
    List<Sample> seen = new ArrayList<>();
    for (int i = 0; i < samples; i++) {
      seen.add(new Sample("", new double[] {1_000 + i % 7}, new int[0], 0));
    }
    return FeatureScaler.empty(1, true, false).including(seen);
  }

  @Test
  void decode_whatWasEncoded_isEqual() throws Exception {
    ModelStart start = new ModelStart("net.onnx", "ab12", 7, false);
    assertThat(ModelStart.decode(start.encode())).isEqualTo(start);
  }

  @Test
  void decode_damaged_isRefused() {
    for (String text :
        List.of(
            "",
            "{",
            "{\"formatVersion\":2,\"file\":\"a\",\"sha256\":\"b\",\"bytes\":1,\"scaled\":false}",
            "{\"formatVersion\":1,\"file\":\"a\",\"bytes\":1,\"scaled\":false}")) {
      assertThatThrownBy(() -> ModelStart.decode(text.getBytes(StandardCharsets.UTF_8)))
          .isInstanceOf(MalformedModelException.class)
          .hasMessageContaining("start.json is damaged");
    }
  }

  @Test
  void follows_aGrowingScaler_endsWhenItIsKnown() throws Exception {
    ModelStart raw = new ModelStart("net.onnx", "ab12", 7, false);
    assertThat(raw.follows(scaler(0))).isTrue();
    assertThat(raw.follows(scaler(8_191))).isTrue();
    assertThat(raw.follows(scaler(8_192))).isFalse();
    assertThat(new ModelStart("model.zip", "ab12", 7, true).follows(scaler(0))).isFalse();
  }

  /** What has seen nothing changes nothing. */
  @Test
  void dense_ofAScalerThatHasSeenNothing_isTheNumber() throws Exception {
    assertThat(scaler(0).dense(0, 1e6)).isEqualTo(1e6f);
    assertThat(scaler(100).dense(0, 1e6)).isEqualTo(8);
  }
}
