package io.idlalayer.middleware.models.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.Test;

final class KafkaReasonsTest {
  @Test
  void text_clientThatCouldNotBeMade_saysWhy() {
    KafkaException unmade =
        new KafkaException(
            "Failed to construct kafka consumer", new ConfigException("No resolvable url"));
    assertThat(KafkaReasons.text(unmade))
        .isEqualTo("Failed to construct kafka consumer: No resolvable url");
    assertThat(KafkaReasons.text(new ExecutionException(unmade))).contains("No resolvable url");
  }

  @Test
  void text_failureThatSaysEnough_isItsMessage() {
    assertThat(
            KafkaReasons.text(
                new IOException("no topic", new UnknownTopicOrPartitionException("unknown"))))
        .isEqualTo("no topic");
    assertThat(KafkaReasons.text(new KafkaException("refused"))).isEqualTo("refused");
    assertThat(KafkaReasons.text(new TimeoutException())).isEqualTo("no Kafka broker answers");
    assertThat(KafkaReasons.text(new OutOfMemoryError())).contains("OutOfMemoryError");
  }
}
