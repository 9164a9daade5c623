package io.idlalayer.jobs.events;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others write to the topics of decisions and statuses. */
class DecisionEventCodecTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static DecisionEvent event() {
    Status status = ExampleEvents.status(ExampleEvents.received(10), 1);
    status.inputOffsets().put("events-0", 5L);
    UpdateRecord update =
        ExampleEvents.published(1, new UpdateRecord.Published(1_000, 1_001), 1, 5);
    return DecisionEvent.of(
        DecisionEvent.Type.PUBLISHED,
        new DecisionEvent.Origin("app", 0, 1_000),
        status.with(
            new Status.Input(
                3, List.of(new Status.LostRange("events-0", 1, 4, "too old")), 0, 0, List.of())),
        update,
        "");
  }

  private static Optional<DecisionEvent> decode(String json) {
    return DecisionEventCodec.decode(json.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "{]",
        "null",
        "7",
        "\"text\"",
        "[]",
        "[null]",
        "{}",
        "{\"formatVersion\":1}",
        "{\"formatVersion\":1,\"application\":\"app\"}",
        "{\"formatVersion\":1,\"application\":\"app\",\"type\":\"STATUS\"}",
        "{\"formatVersion\":1,\"application\":\"app\",\"type\":\"STATUS\",\"status\":{}}",
        "{\"formatVersion\":1,\"application\":\"app\",\"type\":\"LATER\",\"status\":{}}",
      })
  void decode_noEvent_isPassedOver(String text) {
    assertThat(decode(text)).isEmpty();
  }

  @Test
  void decode_nothing_isPassedOver() {
    assertThat(DecisionEventCodec.decode(null)).isEmpty();
  }

  /**
   * Each part that is not a number, taken out and made null: the event, or none, but no failure.
   */
  @Test
  void decode_aPartIsMissing_givesAnEventThatCanBeShown() throws IOException {
    JsonNode whole = JSON.readTree(DecisionEventCodec.encode(event()));
    assertThat(decode(whole.toString())).isPresent();
    List<String> refused = new ArrayList<>();
    for (String pointer : parts(whole, "")) {
      String name = pointer.substring(pointer.lastIndexOf('/') + 1);
      JsonNode without = whole.deepCopy();
      JsonNode parent = without.at(pointer.substring(0, pointer.lastIndexOf('/')));
      if (parent instanceof ObjectNode object) {
        object.remove(name);
        check(without, pointer, refused);
        object.putNull(name);
        check(without, pointer, refused);
      } else if (parent instanceof ArrayNode array) {
        array.setNull(Integer.parseInt(name));
        check(without, pointer, refused);
      }
    }
    assertThat(refused)
        .contains("/application", "/type", "/status", "/status/samples", "/status/input")
        .contains("/status/input/lost/0", "/status/input/lost/0/why", "/status/decision/grounds")
        .contains("/status/inputOffsets/events-0", "/update/firing", "/update/firing/grounds")
        .doesNotContain("/update", "/message");
  }

  private static void check(JsonNode json, String pointer, List<String> refused) {
    Optional<DecisionEvent> read = decode(json.toString());
    if (read.isEmpty()) {
      refused.add(pointer);
    } else {
      // All of it can be written again, so nothing that is needed is missing.
      assertThat(decode(new String(DecisionEventCodec.encode(read.get()), StandardCharsets.UTF_8)))
          .isEqualTo(read);
    }
  }

  private static List<String> parts(JsonNode node, String pointer) {
    List<String> all = new ArrayList<>();
    if (node instanceof ObjectNode) {
      for (Map.Entry<String, JsonNode> field : node.properties()) {
        all.add(pointer + "/" + field.getKey());
        all.addAll(parts(field.getValue(), pointer + "/" + field.getKey()));
      }
    } else {
      for (int i = 0; i < node.size(); i++) {
        all.add(pointer + "/" + i);
        all.addAll(parts(node.get(i), pointer + "/" + i));
      }
    }
    return all;
  }
}
