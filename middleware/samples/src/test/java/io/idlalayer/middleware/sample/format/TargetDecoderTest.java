package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.Targets;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.text.EventEncoding;
import io.idlalayer.middleware.sample.text.TextForm;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which numbers a target may be. */
final class TargetDecoderTest {
  private static SampleSchema schema(Targets targets) {
    return new SampleSchema(
        List.of("x", "y"),
        List.of(DenseFeature.of("x")),
        List.of(),
        new SampleSchema.Label("y", Task.REGRESSION, List.of(), targets),
        null);
  }

  private static Sample json(String target, Targets targets) throws MalformedSampleException {
    byte[] event = "{\"x\":1,\"y\":%s}".formatted(target).getBytes(StandardCharsets.UTF_8);
    return new JsonSampleDecoder(schema(targets), EventEncoding.UTF_8, EventParts.WHOLE)
        .decode(event);
  }

  private static Sample csv(String target, Targets targets) throws MalformedSampleException {
    return new CsvSampleDecoder(schema(targets), TextForm.PLAIN)
        .decode(("1," + target).getBytes(StandardCharsets.UTF_8));
  }

  private static Sample binary(double target, Targets targets) throws MalformedSampleException {
    byte[] event = new SampleCodec().encode(Sample.of(new double[] {1}, target));
    return new BinarySampleDecoder(schema(targets)).decode(event);
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "-0.5", "-1e-30"})
  void decode_negativeTargetOfARate_isRefusedInEveryFormat(String written) throws Exception {
    String reason =
        "y: %s is below 0; with 'training.loss: poisson' a target is at least 0"
            .formatted(Double.parseDouble(written));
    assertThatThrownBy(() -> json(written, Targets.NOT_NEGATIVE)).hasMessage(reason);
    assertThatThrownBy(() -> csv(written, Targets.NOT_NEGATIVE)).hasMessage(reason);
    assertThatThrownBy(() -> binary(Double.parseDouble(written), Targets.NOT_NEGATIVE))
        .hasMessage(reason);
    assertThat(json(written, Targets.ALL).label()).isEqualTo(Double.parseDouble(written));
    assertThat(csv(written, Targets.ALL).label()).isEqualTo(Double.parseDouble(written));
    assertThat(binary(Double.parseDouble(written), Targets.ALL).label())
        .isEqualTo(Double.parseDouble(written));
  }

  @Test
  void decode_zeroAndMoreOfARate_areTargets() throws Exception {
    for (String written : List.of("0", "-0", "-0.0", "2.5")) {
      assertThat(json(written, Targets.NOT_NEGATIVE).label())
          .isEqualTo(Math.abs(Double.parseDouble(written)));
      assertThat(csv(written, Targets.NOT_NEGATIVE).label())
          .isEqualTo(Math.abs(Double.parseDouble(written)));
    }
    assertThat(binary(-0.0, Targets.NOT_NEGATIVE).labeled()).isTrue();
    assertThat(csv("", Targets.NOT_NEGATIVE).labeled()).isFalse();
  }
}
