package io.idlalayer.middleware.models.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class HeartbeatCodecTest {
  private static final String JSON =
      new String(HeartbeatCodec.encode(Heartbeats.of("web-1", 5)), StandardCharsets.UTF_8);

  private static Optional<Heartbeat> decoded(String json) {
    return HeartbeatCodec.decode(json.getBytes(StandardCharsets.UTF_8));
  }

  /** Changes the text, which must be in it. */
  private static Optional<Heartbeat> decoded(String before, String now) {
    assertThat(JSON).contains(before);
    return decoded(JSON.replace(before, now));
  }

  @Test
  void encode_isTheDocumentedForm() {
    assertThat(JSON)
        .isEqualTo(
            "{'formatVersion':1,'application':'app','partition':0,"
                .concat("'subscriber':{'name':'web-1','host':'host-1','process':'p1'},'alias':'',")
                .concat("'service':{'version':3,'sinceMillis':1000,'publishedAtMillis':900,")
                .concat("'stalenessMillis':12,'stale':false},")
                .concat("'refusals':{'count':0,'lastError':''},")
                .concat("'leases':{'open':0,'retired':0},")
                .concat("'beat':{'number':1,'atMillis':5,'periodMillis':10000,'stopped':false}}")
                .replace('\'', '"'));
    Heartbeat heartbeat = Heartbeats.of("web-1", 5);
    assertThat(heartbeat.key()).isEqualTo("app/0/web-1~p1");
    assertThat(Heartbeats.following(heartbeat, "shadow").key()).isEqualTo("app/0/web-1~p1@shadow");
  }

  @Test
  void decode_fieldsOfALaterWriter_arePassedOver() {
    assertThat(decoded("\"alias\":\"\"", "\"alias\":\"\",\"later\":{\"a\":[1]}"))
        .contains(Heartbeats.of("web-1", 5));
  }

  @Test
  void decode_whatIsNoHeartbeat_isNothing() {
    assertThat(HeartbeatCodec.decode(null)).isEmpty();
    for (String json : List.of("", "null", "[]", "7", "{}", "{\"formatVersion\":1}", JSON + "x")) {
      assertThat(decoded(json)).as(json).isEmpty();
    }
    List<String[]> changes =
        List.of(
            new String[] {"\"formatVersion\":1", "\"formatVersion\":2"},
            new String[] {"\"application\":\"app\"", "\"application\":\"../app\""},
            new String[] {"\"application\":\"app\"", "\"application\":null"},
            new String[] {"\"partition\":0", "\"partition\":-1"},
            new String[] {"\"partition\":0", "\"partition\":0.5"},
            new String[] {"\"partition\":0", "\"partition\":\"0\""},
            new String[] {"\"partition\":0", "\"partition\":99999999999"},
            new String[] {"\"partition\":0,", ""},
            new String[] {"\"partition\":0", "\"partition\":0,\"partition\":1"},
            new String[] {"\"name\":\"web-1\"", "\"name\":\"\""},
            new String[] {"\"name\":\"web-1\"", "\"name\":\"<script>\""},
            new String[] {"\"name\":\"web-1\"", "\"name\":\"" + "a".repeat(101) + "\""},
            new String[] {"\"host\":\"host-1\"", "\"host\":\"\\u001b[2J\""},
            new String[] {"\"process\":\"p1\"", "\"process\":\"\""},
            new String[] {"\"process\":\"p1\"", "\"process\":\"p~1\""},
            new String[] {"\"alias\":\"\"", "\"alias\":\"7\""},
            new String[] {"\"version\":3", "\"version\":-3"},
            new String[] {"\"sinceMillis\":1000", "\"sinceMillis\":9223372036854775807"},
            new String[] {"\"number\":1", "\"number\":0"},
            new String[] {"\"periodMillis\":10000", "\"periodMillis\":0"},
            new String[] {"\"periodMillis\":10000", "\"periodMillis\":9223372036854775807"},
            new String[] {"\"stopped\":false", "\"stopped\":null"},
            new String[] {"\"stopped\":false", "\"stopped\":\"false\""},
            new String[] {
              "\"alias\":\"\"", "\"alias\":\"\",\"x\":" + "[".repeat(900) + "]".repeat(900)
            },
            new String[] {"\"alias\":\"\"", "\"alias\":\"\",\"x\":\"" + "y".repeat(9_000) + "\""});
    for (String[] change : changes) {
      assertThat(decoded(change[0], change[1])).as(change[1]).isEmpty();
    }
  }

  @Test
  void decode_longErrorWithEscapes_isCutAndPlain() {
    String error = "\\u001b[31mred\\r\\n\\u202e" + "z".repeat(2_000);
    Heartbeat read = decoded("\"lastError\":\"\"", "\"lastError\":\"" + error + "\"").orElseThrow();
    assertThat(read.refusals().lastError()).hasSize(500).startsWith(" [31mred   zzz");
  }

  @Test
  void identity_ofAProcess_isItsNameOrItsOwn() {
    SplittableRandom random = new SplittableRandom(1);
    SubscriberIdentity named = SubscriberIdentity.ofProcess("web-1", random);
    assertThat(named.name()).isEqualTo("web-1");
    assertThat(SubscriberIdentity.ofProcess("web-1", random).process())
        .isNotEqualTo(named.process());
    SubscriberIdentity one = SubscriberIdentity.ofProcess(null, random);
    SubscriberIdentity two = SubscriberIdentity.ofProcess(null, random);
    assertThat(one.name()).isNotEqualTo(two.name()).contains("-" + ProcessHandle.current().pid());
    assertThat(one.host()).isEqualTo(two.host()).isNotEmpty();
    assertThatThrownBy(() -> SubscriberIdentity.ofProcess("a b", random))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("'a b' is not a name of a subscriber");
  }
}
