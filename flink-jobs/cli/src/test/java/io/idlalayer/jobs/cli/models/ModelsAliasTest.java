package io.idlalayer.jobs.cli.models;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.terminal.Terminal;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Names of versions, and the commands that take them. */
final class ModelsAliasTest {
  @TempDir Path folder;
  @TempDir Path elsewhere;
  private final IdlaRun idla = new IdlaRun();
  private ModelStore store;

  @BeforeEach
  void publishThree() throws IOException {
    store = new ThreeVersions(new ModelStore(folder, InstantSource.system())).store;
  }

  private int run(Object... parts) {
    List<Object> all = new ArrayList<>(List.of(parts));
    all.addAll(List.of("--models-dir", folder));
    return idla.run(all.toArray());
  }

  private long named(String alias) throws IOException {
    return store.aliased("clicks", 0, alias).manifest().version();
  }

  @Test
  void alias_givenMovedAndRemoved_isListedAndFound() throws IOException {
    assertThat(run("models alias clicks champion 1")).isZero();
    assertThat(idla.out()).contains("clicks/0: v1 is champion from now on");
    assertThat(run("models alias clicks shadow 3")).isZero();
    assertThat(run("models list")).isZero();
    assertThat(idla.out()).contains("   v1 is champion since ").contains("   v3 is shadow");
    assertThat(run("models show clicks --alias champion")).isZero();
    assertThat(idla.out()).contains("\"version\" : 1");
    Path pulled = elsewhere.resolve("pulled");
    assertThat(run("models pull clicks", pulled, "--alias shadow")).isZero();
    assertThat(Files.readString(pulled.resolve("manifest.json"))).contains("\"version\" : 3");
    assertThat(run("models alias clicks champion 2")).isZero();
    assertThat(named("champion")).isEqualTo(2);
    assertThat(run("models alias clicks champion 1")).isZero();
    assertThat(named("champion")).isEqualTo(1);
    assertThat(run("models alias clicks champion --remove")).isZero();
    assertThat(idla.out()).contains("clicks/0: no version is champion any more");
    assertThat(run("models alias clicks champion --remove")).isZero();
    assertThat(idla.out()).contains("no version was champion");
    assertThat(store.aliases("clicks", 0)).containsOnlyKeys("shadow");
  }

  @Test
  void list_theFileIsDamaged_saysSoAndListsTheVersions() throws IOException {
    assertThat(run("models alias clicks champion 1")).isZero();
    Files.writeString(folder.resolve("clicks/0/aliases.json"), "{}");
    assertThat(run("models list")).isEqualTo(Terminal.FAILED);
    assertThat(idla.out()).contains("damaged: ", "aliases.json", " * v3 ");
    assertThat(run("models show clicks --alias champion")).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("delete the file and give the aliases again");
    assertThat(run("models show clicks")).isZero();
    assertThat(run("models alias clicks champion 1")).isEqualTo(Terminal.FAILED);
  }

  @Test
  void wrongUse_isRefusedAndNothingChanges() throws IOException {
    for (List<String> wrong :
        List.of(
            List.of("alias", "clicks", "champion"),
            List.of("alias", "clicks", "champion", "1", "--remove"),
            List.of("alias", "clicks", "7", "1"),
            List.of("alias", "clicks", "two words", "1"),
            List.of("alias", "clicks", "champion", "0"),
            List.of("alias", "no such name", "champion", "1"),
            List.of("show", "clicks", "--alias", "a", "--version-number", "1"),
            List.of("show", "clicks", "--alias", "-"),
            List.of("show", "clicks", "--version-number", "-1"))) {
      assertThat(run("models", wrong)).as(wrong.toString()).isEqualTo(Terminal.BAD_USAGE);
    }
    assertThat(run("models alias clicks champion 9")).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("version 9 is not there");
    assertThat(run("models show clicks --alias champion")).isEqualTo(Terminal.FAILED);
    assertThat(idla.err()).contains("clicks/0 has no alias 'champion'");
    assertThat(store.aliases("clicks", 0)).isEmpty();
  }
}
