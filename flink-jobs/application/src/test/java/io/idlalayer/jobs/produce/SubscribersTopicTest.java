package io.idlalayer.jobs.produce;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.junit.jupiter.api.Test;

final class SubscribersTopicTest {
  private static List<String> complaints(Map<String, String> changed) {
    return complaints(changed, true);
  }

  private static List<String> complaints(Map<String, String> changed, boolean timed) {
    Map<String, String> configs = new HashMap<>(SubscribersTopic.CONFIGS);
    configs.putAll(changed);
    return SubscribersTopic.complaints(
        "t",
        new Config(
            configs.entrySet().stream()
                .map(each -> new ConfigEntry(each.getKey(), each.getValue()))
                .toList()),
        timed);
  }

  @Test
  void complaints_topicAsTheJobMakesIt_areNone() {
    assertThat(complaints(Map.of())).isEmpty();
    assertThat(complaints(Map.of("cleanup.policy", "compact"))).isEmpty();
    assertThat(SubscribersTopic.complaints("t", new Config(List.of()), true)).isEmpty();
  }

  @Test
  void complaints_topicOfSomebodyElse_sayWhatToDo() {
    assertThat(complaints(Map.of("cleanup.policy", "delete")))
        .singleElement()
        .asString()
        .contains("topic t keeps every heartbeat", "cleanup.policy to compact,delete");
    assertThat(complaints(Map.of("message.timestamp.type", "CreateTime")))
        .singleElement()
        .asString()
        .contains("topic t has the times", "message.timestamp.type to LogAppendTime");
    assertThat(complaints(Map.of("message.timestamp.type", "CreateTime"), false))
        .as("no reader uses the times of lenders")
        .isEmpty();
  }
}
