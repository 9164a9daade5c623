package io.idlalayer.jobs.source;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.List;
import org.junit.jupiter.api.Test;

final class ClosingClassesTest {
  @Test
  void load_classOfAnotherVersion_doesNotStopTheJob() {
    assertThatCode(
            () ->
                ClosingClasses.load(
                    List.of("org.apache.kafka.common.network.Gone"),
                    ClosingClassesTest.class.getClassLoader()))
        .doesNotThrowAnyException();
  }
}
