package io.idlalayer.modelruntime.inference;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.net.http.HttpHeaders;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Predictions say in their headers where the model comes from. */
final class OriginHeadersTest extends InferenceServerFixture {
  private HttpHeaders predicted() throws Exception {
    var answer = send("POST", "/models/app/infer", inputs(X, V));
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    return answer.headers();
  }

  @Test
  void infer_firstVersion_hasNeitherParentNorOffsetsNorComparison() throws Exception {
    start();
    HttpHeaders headers = predicted();
    assertThat(headers.firstValue("Idla-Model-Version")).hasValue("1");
    assertThat(headers.firstValue("Idla-Model-Parent")).hasValue("none");
    assertThat(headers.firstValue("Idla-Model-Offsets")).hasValue("none");
    assertThat(headers.firstValue("Idla-Model-Gate")).hasValue("none");
    assertThat(headers.firstValue("Idla-Model-Digest"))
        .hasValue(subscriber.current().orElseThrow().digest());
  }

  @Test
  void infer_comparedVersion_namesParentOffsetsAndComparison() throws Exception {
    start();
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      ModelCheckpoint second =
          publish(
              "good",
              1,
              Map.of("clicks-0", 120L, "clicks-1", 7L),
              Map.of("comparedWith", 1L, "comparedSamples", 100L),
              Map.of("comparedDifference", -0.0125));
      subscriber.refresh();
      HttpHeaders headers = predicted();
      assertThat(headers.firstValue("Idla-Model-Version")).hasValue("2");
      assertThat(headers.firstValue("Idla-Model-Digest")).hasValue(second.digest());
      assertThat(headers.firstValue("Idla-Model-Parent")).hasValue("1");
      assertThat(headers.firstValue("Idla-Model-Offsets")).hasValue("clicks-0=120, clicks-1=7");
      assertThat(headers.firstValue("Idla-Model-Gate"))
          .hasValue("with=1, samples=100, difference=-0.012500");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void infer_manyPartitionsAndHostileNames_staysShortAndOneHeader() throws Exception {
    start();
    Map<String, Long> offsets = new TreeMap<>();
    for (int i = 0; i < 500; i++) {
      offsets.put(String.format(Locale.ROOT, "topic-%03d", i), 1_000_000L + i);
    }
    offsets.put("x\r\nSet-Cookie: y", 1L);
    publish("good", 1, offsets, Map.of(), Map.of());
    subscriber.refresh();
    HttpHeaders headers = predicted();
    String said = headers.firstValue("Idla-Model-Offsets").orElseThrow();
    assertThat(said).startsWith("topic-000=1000000, topic-001=1000001, ").endsWith(" more");
    assertThat(said).hasSizeLessThan(OriginHeaders.MOST_OFFSET_CHARACTERS + 20);
    assertThat(headers.firstValue("Set-Cookie")).isEmpty();
  }

  @Test
  void infer_refusedOrOtherRequest_saysNothingOfAModel() throws Exception {
    start();
    var refused = send("POST", "/models/app/infer", inputs(X));
    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.headers().firstValue("Idla-Model-Version")).isEmpty();
    var metadata = send("GET", "/models/app", "");
    assertThat(metadata.headers().firstValue("Idla-Model-Version")).isEmpty();
  }
}
