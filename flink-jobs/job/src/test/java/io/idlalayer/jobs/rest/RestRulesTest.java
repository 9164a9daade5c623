package io.idlalayer.jobs.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.http.HttpRefusal;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.DefaultHttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpMethod;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpRequest;
import org.apache.flink.shaded.netty4.io.netty.handler.codec.http.HttpVersion;
import org.apache.flink.util.ConfigurationException;
import org.junit.jupiter.api.Test;

final class RestRulesTest {
  private static final String TOKEN = "5ec2e7";

  private static RestRules rules(String... further) {
    Configuration server = Configuration.fromMap(RestAccess.settings(TOKEN));
    for (int i = 0; i < further.length; i += 2) {
      server.setString(further[i], further[i + 1]);
    }
    return Objects.requireNonNull(RestAccess.rules(server));
  }

  private static HttpRequest request(String method, String target, String... headers) {
    HttpRequest request =
        new DefaultHttpRequest(HttpVersion.HTTP_1_1, HttpMethod.valueOf(method), target);
    for (int i = 0; i < headers.length; i += 2) {
      request.headers().add(headers[i], headers[i + 1]);
    }
    return request;
  }

  private static int status(RestRules rules, String method, String target, String... headers) {
    HttpRefusal refusal = rules.refusal(request(method, target, headers));
    return refusal == null ? 200 : refusal.status();
  }

  @Test
  void refusal_nameThatIsNotTheServers_isMisdirected() {
    RestRules rules = rules("rest.address", "flink.example", "idla.rest.allowed-hosts", "a.b;c.d");
    for (String own :
        List.of("127.0.0.1:8081", "localhost", "flink.example:8081", "c.d", "[::1]")) {
      assertThat(status(rules, "GET", "/jobs", "Host", own)).as(own).isEqualTo(200);
    }
    for (String other :
        List.of("evil.example", "evil.example:8081", "localhost.evil.example", "")) {
      assertThat(status(rules, "GET", "/jobs", "Host", other)).as(other).isEqualTo(421);
    }
    assertThat(status(rules, "GET", "/jobs", "Host", "localhost", "Host", "evil.example"))
        .isEqualTo(421);
    assertThat(rules.refusal(request("GET", "/jobs", "Host", "evil.example")))
        .isNotNull()
        .satisfies(refusal -> assertThat(refusal.reason()).contains("idla.rest.allowed-hosts"));
  }

  @Test
  void refusal_pageOfAnotherSite_isForbiddenWithTheTokenToo() {
    String own = "127.0.0.1:8081";
    for (String origin : List.of("http://localhost:28099", "null", "https://evil.example")) {
      assertThat(status(rules(), "GET", "/jobs", "Host", own, "Origin", origin)).isEqualTo(403);
      String bearer = "Bearer " + TOKEN;
      assertThat(
              status(rules(), "GET", "/", "Host", own, "Origin", origin, "Authorization", bearer))
          .isEqualTo(403);
    }
    assertThat(status(rules(), "GET", "/jobs", "Host", own, "Sec-Fetch-Site", "cross-site"))
        .isEqualTo(403);
    assertThat(status(rules(), "OPTIONS", "/jobs", "Host", own, "Origin", "http://evil.example"))
        .isEqualTo(403);
    assertThat(status(rules(), "GET", "/jobs", "Host", own, "Origin", "http://" + own))
        .isEqualTo(200);
  }

  @Test
  void refusal_addressThatEndsAJobWhenItIsRead_isForbiddenInEveryForm() {
    for (String path :
        List.of(
            "/jobs/1/yarn-cancel",
            "/jobs/1/yarn-stop",
            "/v1/jobs/1/yarn-cancel",
            "/jobs/1/yarn-cancel/",
            "//jobs//1//yarn-cancel",
            "/jobs/1/yarn%2Dcancel",
            "/jobs/1/%79arn-stop",
            "/jobs%2F1%2Fyarn-stop",
            "/jobs/1/yarn-cancel?x=1",
            "/jobs/1/yarn-cancel#x")) {
      assertThat(status(rules(), "GET", path, "Host", "localhost")).as(path).isEqualTo(403);
      assertThat(
              status(rules(), "GET", path, "Host", "localhost", "Authorization", "Bearer " + TOKEN))
          .as(path)
          .isEqualTo(403);
    }
    for (String bad : List.of("http://127.0.0.1/jobs", "*", "jobs", "/jobs/%zz", "")) {
      assertThat(status(rules(), "GET", bad, "Host", "localhost")).as(bad).isEqualTo(400);
    }
  }

  @Test
  void refusal_requestThatChanges_needsTheToken() {
    for (String method : List.of("POST", "PATCH", "PUT", "DELETE", "OPTIONS", "HEAD", "BREW")) {
      assertThat(status(rules(), method, "/cluster", "Host", "localhost")).isEqualTo(405);
      for (String wrong : List.of("Bearer x", "Basic " + TOKEN, TOKEN, "Bearer")) {
        assertThat(status(rules(), method, "/cluster", "Host", "localhost", "Authorization", wrong))
            .isEqualTo(405);
      }
      assertThat(
              status(
                  rules(),
                  method,
                  "/cluster",
                  "Host",
                  "localhost",
                  "Authorization",
                  "Bearer " + TOKEN))
          .isEqualTo(200);
    }
    RestRules readOnly =
        Objects.requireNonNull(RestAccess.rules(Configuration.fromMap(RestAccess.settings(null))));
    assertThat(
            status(readOnly, "POST", "/jobs", "Host", "localhost", "Authorization", "Bearer null"))
        .isEqualTo(405);
  }

  @Test
  void refusal_bodyOfARequestThatReads_isRefused() {
    assertThat(status(rules(), "GET", "/jobs", "Host", "localhost", "Content-Length", "0"))
        .isEqualTo(200);
    assertThat(status(rules(), "GET", "/jobs", "Host", "localhost", "Content-Length", "1"))
        .isEqualTo(413);
    assertThat(status(rules(), "GET", "/", "Host", "localhost", "Transfer-Encoding", "chunked"))
        .isEqualTo(413);
  }

  @Test
  void createHandler_flinkThatIsNotOurs_isLeftAlone() throws Exception {
    assertThat(new RestGuardFactory().createHandler(new Configuration(), Map.of())).isEmpty();
    assertThat(new RestTokenFactory().createHandler(new Configuration())).isEmpty();
    Configuration badName = Configuration.fromMap(RestAccess.settings(null));
    badName.setString("idla.rest.allowed-hosts", "http://x");
    assertThatThrownBy(() -> new RestGuardFactory().createHandler(badName, Map.of()))
        .isInstanceOf(ConfigurationException.class)
        .hasMessageContaining("idla.rest.allowed-hosts: 'http://x' is not a name of a host");
  }
}
