package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.records.RecordSchemas;
import io.idlalayer.jobs.registry.RegistrySettings;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The keys of records: registry, file of the schema, message. */
final class RecordsReaderTest {
  private static final String FILE =
      """
      name: clicks
      input:
        features: [user.age]
        id: id
        label: clicked
        classes: ["no", "yes"]
        %s
      """;
  private static final String AVRO =
      "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"a\",\"type\":\"int\"}]}";

  @TempDir Path folder;

  private ApplicationSettings read(String keys) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), FILE.formatted(keys));
  }

  private List<String> problems(String keys) throws Exception {
    return ApplicationFiles.problems(
        folder.resolve("app.yaml"), FILE.formatted(keys), Map.of("SECRET", "hunter 2"));
  }

  @Test
  void registry_ofEventsAndLabels_isOne() throws Exception {
    Files.writeString(folder.resolve("password"), "pw-22-x\n");
    ApplicationSettings settings =
        read(
            "format: avro\n"
                + "  registry: {url: 'https://registry:8081/api/', user: u, password: '${file:password}',"
                + " trust-store: t.p12, trust-store-password: pw-33-x}\n"
                + "  labels: {format: protobuf, id: key.id}");
    RegistrySettings registry =
        new RegistrySettings(
            URI.create("https://registry:8081/api"),
            new RegistrySettings.Login("u", "pw-22-x"),
            new RegistrySettings.Store(folder.resolve("t.p12").toString(), "pw-33-x"),
            null,
            10_000);

    assertThat(settings.input().schemas()).isEqualTo(new RecordSchemas(registry, null));
    assertThat(settings.input().ofLabels().schemas()).isEqualTo(settings.input().schemas());
    assertThat(settings.input().ofLabels().format()).isEqualTo(ApplicationSettings.Format.PROTOBUF);
    assertThat(settings.input().with(settings.input().schema()).schemas()).isNotNull();
    assertThat(settings.toString()).doesNotContain("pw-22-x").doesNotContain("pw-33-x");
  }

  @Test
  void schemaFile_besideRegistryOfLabels_isRead() throws Exception {
    Files.writeString(folder.resolve("a.avsc"), AVRO);
    ApplicationSettings settings =
        read(
            "format: avro\n  schema-file: a.avsc\n  registry: {url: 'http://r'}\n"
                + "  labels: {format: avro}");

    RecordSchemas schemas = settings.input().schemas();
    assertThat(schemas).isNotNull();
    assertThat(schemas.file()).isNotNull();
    assertThat(schemas.file().content()).asString().isEqualTo(AVRO);
    assertThat(settings.input().ofLabels().schemas().registry()).isNotNull();
  }

  @Test
  void records_withoutSchemas_areRefused() throws Exception {
    String needs =
        "records need 'input.registry', or 'schema-file' if they do not begin with the id of a"
            + " registry's schema";
    assertThat(problems("format: avro\n  labels: {format: protobuf}"))
        .containsExactlyInAnyOrder("input.format: " + needs, "input.labels.format: " + needs);
  }

  @Test
  void keys_withoutEffect_areRefused() throws Exception {
    String records = "takes effect with 'format: avro' or 'format: protobuf'";
    assertThat(problems("schema-file: a\n  message: m\n  registry: {url: 'http://r'}"))
        .containsExactlyInAnyOrder(
            "input.schema-file: " + records + " only",
            "input.message: takes effect with 'format: protobuf' only",
            "input.registry: " + records + " and without 'schema-file'");
    Files.writeString(folder.resolve("a.avsc"), AVRO);
    assertThat(
            problems(
                "format: avro\n  schema-file: a.avsc\n  message: m\n  encoding: latin1\n"
                    + "  registry: {url: 'http://r'}"))
        .containsExactlyInAnyOrder(
            "input.message: takes effect with 'format: protobuf' and 'schema-file' only",
            "input.encoding: takes effect with events that are text only",
            "input.registry: " + records + " and without 'schema-file'");
    assertThat(problems("format: avro\n  columns: [a]\n  registry: {url: 'http://r'}"))
        .containsExactly("input.columns: only events in format csv have columns");
  }

  @Test
  void schemaFile_thatIsNone_saysWhy() throws Exception {
    Files.writeString(folder.resolve("bad.avsc"), "{\"type\":\"recrod\"}");
    Files.writeString(folder.resolve("int.avsc"), "\"int\"");
    Files.write(folder.resolve("large"), new byte[(4 << 20) + 1]);
    assertThat(problems("format: avro\n  schema-file: bad.avsc"))
        .singleElement()
        .asString()
        .startsWith("input.schema-file: 'bad.avsc': it cannot be read as Avro: ");
    assertThat(problems("format: avro\n  schema-file: int.avsc"))
        .containsExactly("input.schema-file: 'int.avsc': its schema is not that of a record");
    assertThat(problems("format: protobuf\n  schema-file: bad.avsc"))
        .singleElement()
        .asString()
        .startsWith("input.schema-file: 'bad.avsc': it is no set of descriptors");
    assertThat(problems("format: avro\n  schema-file: none.avsc"))
        .containsExactly(
            "input.schema-file: cannot be read: there is no file " + folder.resolve("none.avsc"));
    assertThat(problems("format: avro\n  schema-file: large"))
        .singleElement()
        .asString()
        .endsWith("is larger than 4 MiB");
  }

  @Test
  void registry_thatCannotBeOne_isRefusedWithoutSecrets() throws Exception {
    assertThat(problems("format: avro\n  registry: {user: a, key-store: k, time-limit: 0s}"))
        .containsExactlyInAnyOrder(
            "input.registry.url: is missing",
            "input.registry.user: 'user' and 'password' belong together",
            "input.registry.key-store: 'key-store' and 'key-store-password' belong together",
            "input.registry.time-limit: is not above 0s and at most 300s");
    for (String url :
        List.of("registry:8081", "ftp://r", "http://", "http://r?a=b", "http://r r")) {
      assertThat(problems("format: avro\n  registry: {url: '%s'}".formatted(url)))
          .singleElement()
          .asString()
          .startsWith("input.registry.url: '" + url + "' is not an address");
    }
    assertThat(problems("format: avro\n  registry: {url: 'http://u:pw@r'}"))
        .containsExactly(
            "input.registry.url: has a user: say 'user' and 'password', which are never shown");
    assertThat(problems("format: avro\n  registry: {url: '${env:SECRET}'}"))
        .singleElement()
        .asString()
        .contains("the value of ${env:SECRET}")
        .doesNotContain("hunter");
  }
}
