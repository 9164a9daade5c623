package io.idlalayer.jobs.registry;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** Sends single requests to a registry, each within a time limit. Confined to one thread. */
final class RegistryConnection {
  /** Largest number of bytes of an answer, which contains a schema. */
  static final int ANSWER_BYTES_MAX = 4 << 20;

  private static final String ACCEPTED = "application/vnd.schemaregistry.v1+json, application/json";

  private static final String SENT = "application/vnd.schemaregistry.v1+json";

  private final RegistrySettings settings;
  private final HttpClient client;

  /**
   * @throws RegistryUnavailableException if a key store cannot be used
   */
  RegistryConnection(RegistrySettings settings) {
    this.settings = settings;
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(Duration.ofMillis(settings.timeLimitMillis()));
    if (settings.trustStore() != null || settings.keyStore() != null) {
      builder.sslContext(tls(settings.trustStore(), settings.keyStore()));
    }
    client = builder.build();
  }

  /** An answer of the registry. */
  record Answer(int status, byte[] body) {}

  /**
   * Asks for a path below the registry's address.
   *
   * @throws IOException if there is no answer within the time limit, or the answer is too long
   */
  Answer get(String path) throws IOException, InterruptedException {
    return send(request(path).GET());
  }

  /**
   * Sends a JSON text to a path below the registry's address.
   *
   * @throws IOException if there is no answer within the time limit, or the answer is too long
   */
  Answer post(String path, String json) throws IOException, InterruptedException {
    return send(
        request(path)
            .header("Content-Type", SENT)
            .POST(HttpRequest.BodyPublishers.ofString(json, StandardCharsets.UTF_8)));
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create(settings.url() + path)).header("Accept", ACCEPTED);
  }

  private Answer send(HttpRequest.Builder request) throws IOException, InterruptedException {
    RegistrySettings.Login login = settings.login();
    if (login != null) {
      byte[] both = (login.user() + ":" + login.password()).getBytes(StandardCharsets.UTF_8);
      request.header("Authorization", "Basic " + Base64.getEncoder().encodeToString(both));
    }
    // The client's own limit does not count the time of the body.
    CompletableFuture<HttpResponse<byte[]>> sent =
        client.sendAsync(request.build(), headers -> new LimitedBody(ANSWER_BYTES_MAX));
    try {
      HttpResponse<byte[]> answer = sent.get(settings.timeLimitMillis(), TimeUnit.MILLISECONDS);
      return new Answer(answer.statusCode(), answer.body());
    } catch (TimeoutException slow) {
      throw new IOException("no answer within %d ms".formatted(settings.timeLimitMillis()), slow);
    } catch (ExecutionException failed) {
      Throwable cause = failed.getCause();
      throw cause instanceof IOException io ? io : new IOException(String.valueOf(cause), cause);
    } finally {
      sent.cancel(true);
    }
  }

  static SSLContext tls(
      RegistrySettings.@Nullable Store trusted, RegistrySettings.@Nullable Store own) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted == null ? null : open(trusted));
      KeyManagerFactory keys = null;
      if (own != null) {
        keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(open(own), own.password().toCharArray());
      }
      context.init(keys == null ? null : keys.getKeyManagers(), trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException | IOException unusable) {
      throw new RegistryUnavailableException(
          "the key store or trust store of the schema registry cannot be used: "
              + unusable.getMessage(),
          unusable);
    }
  }

  private static KeyStore open(RegistrySettings.Store store)
      throws GeneralSecurityException, IOException {
    try {
      return KeyStore.getInstance(new File(store.file()), store.password().toCharArray());
    } catch (GeneralSecurityException | IOException | IllegalArgumentException unusable) {
      // The JDK throws the last of these exceptions if the file does not exist.
      throw new IOException(store.file() + ": " + unusable.getMessage(), unusable);
    }
  }
}
