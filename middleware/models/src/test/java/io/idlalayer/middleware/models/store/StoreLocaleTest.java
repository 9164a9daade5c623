package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Locale;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

/** The locale of a process that serves is the user's: it changes no name in a store. */
@ResourceLock(Resources.LOCALE)
final class StoreLocaleTest {
  private final Locale before = Locale.getDefault();

  @TempDir Path folder;

  @AfterEach
  void restore() {
    Locale.setDefault(before);
  }

  @Test
  void publish_inOtherLocales_hasTheNamesOfAll() throws Exception {
    long version = 0;
    for (String tag : new String[] {"tr-TR", "ar-EG-u-nu-arab", "fa-IR", "hi-IN-u-nu-deva"}) {
      Locale.setDefault(Locale.forLanguageTag(tag));
      assertThat(StoreLayout.version(12)).as(tag).isEqualTo("v0000000012");
      try (ModelStore store = new ModelStore(folder, InstantSource.system())) {
        ModelCheckpoint published = store.claim("app", 0).publish(Drafts.of(++version, "content"));
        assertThat(folder.resolve("app/0/v000000000" + version)).as(tag).isDirectory();
        assertThat(store.list("app", 0)).as(tag).hasSize((int) version);
        assertThat(store.load(published)).as(tag).containsKey("model.zip");
      }
    }
  }
}
