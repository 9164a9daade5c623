package io.idlalayer.jobs.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.registry.SchemaRegistry.Form;
import io.idlalayer.testkit.KeyStores;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemaRegistryTest {
  private final List<Long> pauses = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private RegistryStandIn server;
  private SchemaRegistry registry;

  @BeforeEach
  void start() throws Exception {
    server = RegistryStandIn.start();
    registry = client(server.settings(2_000));
  }

  @AfterEach
  void stop() throws Exception {
    over.countDown();
    server.close();
  }

  private SchemaRegistry client(RegistrySettings settings) {
    return new SchemaRegistry(settings, pauses::add);
  }

  @Test
  void byId_aSchema_isReturnedWithItsReferences() throws Exception {
    RegisteredSchema.Reference geo = new RegisteredSchema.Reference("shop.Geo", "a/b c", 2);
    server.add(7, "AVRO", "\"int\"", geo);
    server.add("a/b c", 2, "PROTOBUF", "xyz");

    assertThat(registry.byId(7, Form.TEXT))
        .isEqualTo(new RegisteredSchema("AVRO", "\"int\"", List.of(geo)));
    assertThat(registry.referred(geo, Form.SERIALIZED))
        .isEqualTo(new RegisteredSchema("PROTOBUF", "xyz", List.of()));
    assertThat(server.asked())
        .containsExactly("/schemas/ids/7", "/subjects/a%2Fb%20c/versions/2?format=serialized");
    assertThat(server.authorizations()).containsOnly("");
    assertThat(pauses).isEmpty();
  }

  @Test
  void byId_unknownId_isToldApartFromAnotherServer() {
    assertThatThrownBy(() -> registry.byId(8, Form.TEXT))
        .isInstanceOf(UnknownSchemaException.class)
        .hasMessage("the schema registry has no schema 8");
    server.fail(RegistryStandIn.status(404, "<html>not here</html>"));
    assertThatThrownBy(() -> registry.byId(8, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("is 'input.registry.url' its address?");
    assertThat(server.asked()).hasSize(2);
  }

  @Test
  void idOf_schemaUnderASubject_isFoundByItsText() throws Exception {
    server.register("a/b c", 7, "\"int\"");

    assertThat(registry.idOf("a/b c", "\"int\"")).isEqualTo(7);
    assertThatThrownBy(() -> registry.idOf("a/b c", "\"long\""))
        .isInstanceOf(UnknownSchemaException.class)
        .hasMessage("the schema registry has no schema like this one under subject 'a/b c'");
    server.fail(RegistryStandIn.status(200, "{}"));
    assertThatThrownBy(() -> registry.idOf("a/b c", "\"int\""))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("an answer that is no");
    assertThat(pauses).hasSize(SchemaRegistry.ATTEMPTS - 1);
  }

  @Test
  void byId_faultsThatPass_areAskedAgain() throws Exception {
    server.add(7, "AVRO", "\"int\"");
    AtomicInteger left = new AtomicInteger(4);
    server.fail(
        exchange -> {
          int which = left.getAndDecrement();
          if (which <= 0) {
            return false;
          }
          RegistryStandIn.send(exchange, which == 1 ? 429 : 500 + which, which == 2 ? "{" : "");
          return true;
        });

    assertThat(registry.byId(7, Form.TEXT).text()).isEqualTo("\"int\"");
    assertThat(pauses).containsExactly(200L, 400L, 800L, 1_600L);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "500 | {\"error_code\":50001,\"message\":\"store\"} | it answers 500 store",
        "503 | | it answers 503",
        "200 | <html>hello</html> | an answer that is no schema: '<html>hello</html>'",
        "200 | {\"message\":\"hi\"} | an answer that is no schema",
      })
  void byId_aFaultThatStays_stopsTheReader(int status, String body, String reason) {
    server.fail(RegistryStandIn.status(status, body == null ? "" : body));

    assertThatThrownBy(() -> registry.byId(7, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining(server.url())
        .hasMessageContaining("did not give schema 7: " + reason)
        .hasMessageContaining("asked 8 times. No event is lost");
    assertThat(server.asked()).hasSize(SchemaRegistry.ATTEMPTS);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "401 | look at 'input.registry': user, password",
        "403 | look at 'input.registry': user, password",
        "301 | 'input.registry.url' is another address",
        "501 | name a file of descriptors by 'input.schema-file'",
        "400 | it answers 400",
      })
  void byId_aRefusal_stopsTheReaderAtOnce(int status, String hint) {
    server.fail(RegistryStandIn.status(status, ""));

    assertThatThrownBy(() -> registry.byId(7, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining(hint)
        .hasMessageContaining("No event is lost");
    assertThat(server.asked()).hasSize(1);
  }

  @Test
  void byId_userAndPassword_areSentAndNotShown() throws Exception {
    server.add(7, "AVRO", "\"int\"");
    server.fail(
        exchange -> {
          String sent = exchange.getRequestHeaders().getFirst("Authorization");
          if ("Basic ZWxsYTpuw6RpdmU6eA==".equals(sent)) {
            return false;
          }
          RegistryStandIn.send(exchange, 401, "");
          return true;
        });
    RegistrySettings settings =
        new RegistrySettings(
            URI.create(server.url()),
            new RegistrySettings.Login("ella", "n\u00e4ive:x"),
            null,
            new RegistrySettings.Store("/a/b.p12", "other"),
            2_000);

    assertThat(
            client(new RegistrySettings(settings.url(), settings.login(), null, null, 2_000))
                .byId(7, Form.TEXT)
                .text())
        .isEqualTo("\"int\"");
    assertThat(settings.toString()).contains("ella", "b.p12").doesNotContain("ive", "other");
  }

  @Test
  void byId_slowHeadersOrBody_endWithTheTimeLimit() {
    server.fail(
        exchange -> {
          stall(1_500);
          return true;
        });
    SchemaRegistry hasty = client(server.settings(100));
    assertThatThrownBy(() -> hasty.byId(7, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("no answer within 100 ms");

    server.fail(
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          OutputStream out = exchange.getResponseBody();
          for (int i = 0; i < 30; i++) {
            out.write(' ');
            out.flush();
            stall(50);
          }
          return true;
        });
    long start = System.nanoTime();
    assertThatThrownBy(() -> hasty.byId(7, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("no answer within 100 ms");
    assertThat(System.nanoTime() - start).isLessThan(1_400_000_000L);
  }

  /** Lets a client wait, until the test is over at the latest. */
  private void stall(long millis) {
    try {
      boolean unused = over.await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void byId_anEndlessAnswer_isUnknownAndNotRead() {
    server.fail(
        exchange -> {
          exchange.sendResponseHeaders(200, 0);
          byte[] part = new byte[1 << 20];
          try (OutputStream out = exchange.getResponseBody()) {
            for (int i = 0; i < 100; i++) {
              out.write(part);
            }
          } catch (java.io.IOException closed) {
            return true;
          }
          return true;
        });

    assertThatThrownBy(() -> registry.byId(7, Form.TEXT))
        .isInstanceOf(UnknownSchemaException.class)
        .hasMessage("schema 7 is longer than the 4,194,304 bytes that are read");
  }

  @Test
  void byId_down_isAskedAgainUntilItIsUp() throws Exception {
    server.add(7, "AVRO", "\"int\"");
    server.down();
    assertThatThrownBy(() -> registry.byId(7, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("did not give schema 7");
    assertThat(pauses).hasSize(SchemaRegistry.ATTEMPTS - 1);

    server.up();
    assertThat(registry.byId(7, Form.TEXT).text()).isEqualTo("\"int\"");
  }

  @Test
  void byId_interrupted_stops() {
    server.add(7, "AVRO", "\"int\"");
    Thread.currentThread().interrupt();

    assertThatThrownBy(() -> registry.byId(7, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("interrupted");
    assertThat(Thread.interrupted()).isTrue();
  }

  @Test
  void byId_keyStoreThatIsNone_saysWhich() {
    RegistrySettings settings =
        new RegistrySettings(
            URI.create(server.url()),
            null,
            new RegistrySettings.Store("/no/such/store.p12", "secret"),
            null,
            1_000);

    assertThatThrownBy(() -> client(settings).byId(7, Form.TEXT))
        .isInstanceOf(RegistryUnavailableException.class)
        .hasMessageContaining("/no/such/store.p12")
        .hasMessageNotContaining("secret");
  }

  @Test
  void byId_byTls_needsTrustAndOwnKey(@TempDir Path folder) throws Exception {
    Path keys = KeyStores.keys(folder.resolve("server.p12"), "server");
    Path client = KeyStores.keys(folder.resolve("client.p12"), "client");
    Path trusted = KeyStores.trusting(folder.resolve("trusted.p12"), keys, "server");
    Path clients = KeyStores.trusting(folder.resolve("clients.p12"), client, "client");
    RegistrySettings.Store trust = store(trusted);
    RegistrySettings.Store own = store(client);
    // What a client reads of stores is what this server needs too.
    SSLContext tls = RegistryConnection.tls(store(clients), store(keys));
    try (RegistryStandIn secured = RegistryStandIn.start(tls)) {
      secured.add(7, "AVRO", "\"int\"");
      URI url = URI.create(secured.url());

      assertThat(
              client(new RegistrySettings(url, null, trust, own, 5_000)).byId(7, Form.TEXT).text())
          .isEqualTo("\"int\"");
      for (RegistrySettings other :
          List.of(
              new RegistrySettings(url, null, trust, null, 5_000),
              new RegistrySettings(url, null, null, null, 5_000))) {
        assertThatThrownBy(() -> client(other).byId(7, Form.TEXT))
            .isInstanceOf(RegistryUnavailableException.class);
      }
    }
  }

  private static RegistrySettings.Store store(Path file) {
    return new RegistrySettings.Store(file.toString(), KeyStores.PASSWORD);
  }
}
