package io.idlalayer.jobs.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Properties;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.LOCALE)
@ResourceLock(Resources.SYSTEM_PROPERTIES)
final class TerminalTest {
  private final Locale locale = Locale.getDefault();
  private final Properties properties = (Properties) System.getProperties().clone();

  @AfterEach
  void restore() {
    Locale.setDefault(locale);
    System.setProperties(properties);
  }

  @Test
  void settle_whateverTheMachineSays_hasTheLocaleOfTheProduct() {
    Locale.setDefault(Locale.forLanguageTag("tr-TR"));
    Terminal.settle();
    assertThat(Locale.getDefault()).isEqualTo(Locale.ROOT);
    assertThat(Locale.getDefault(Locale.Category.FORMAT)).isEqualTo(Locale.ROOT);
  }

  @Test
  void settle_userWithoutAHome_unpacksLibrariesAmongTemporaryFiles() {
    System.clearProperty(Terminal.NATIVE_CACHE);
    System.setProperty("user.home", "/home/ann");
    Terminal.settle();
    assertThat(System.getProperty(Terminal.NATIVE_CACHE)).isNull();
    System.setProperty("user.home", "?");
    System.setProperty("user.name", "../?");
    System.setProperty("java.io.tmpdir", "/tmp/x");
    Terminal.settle();
    assertThat(System.getProperty(Terminal.NATIVE_CACHE)).isEqualTo("/tmp/x/idla-javacpp-____");
    System.setProperty(Terminal.NATIVE_CACHE, "/mine");
    Terminal.settle();
    assertThat(System.getProperty(Terminal.NATIVE_CACHE)).isEqualTo("/mine");
  }
}
