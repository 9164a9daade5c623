package io.idlalayer.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;

/** The configuration of the log names classes that there are. */
final class LoggersTest {
  @Test
  void loggersOfOurs_areClassesOrPackages() throws Exception {
    Properties settings = new Properties();
    try (InputStream file = getClass().getResourceAsStream("/log4j2.properties")) {
      settings.load(Objects.requireNonNull(file));
    }
    List<String> ours =
        settings.stringPropertyNames().stream()
            .filter(key -> key.startsWith("logger.") && key.endsWith(".name"))
            .map(settings::getProperty)
            .filter(name -> name.startsWith("io.idlalayer"))
            .toList();
    assertThat(ours).hasSizeGreaterThan(1);
    for (String name : ours) {
      boolean aClass = Character.isUpperCase(name.charAt(name.lastIndexOf('.') + 1));
      if (aClass) {
        assertThat(Class.forName(name)).as(name).isNotNull();
      } else {
        String folder = "/" + name.replace('.', '/');
        assertThat(getClass().getResource(folder)).as(name).isNotNull();
      }
    }
  }
}
