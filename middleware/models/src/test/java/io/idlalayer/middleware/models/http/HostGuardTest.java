package io.idlalayer.middleware.models.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.Headers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class HostGuardTest {
  private static HostGuard guard(boolean tls, String... allowed) {
    try {
      InetAddress address = InetAddress.getByAddress("Bound.example", new byte[] {10, 0, 0, 7});
      return new HostGuard(new InetSocketAddress(address, 8090), tls, Set.of(allowed));
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static int status(
      HostGuard guard, @Nullable String host, @Nullable String origin, @Nullable String site) {
    HttpRefusal refusal = guard.refusal(host, origin, site);
    return refusal == null ? 200 : refusal.status();
  }

  @Test
  void refusal_hosts_areAddressesAndNamesOfTheServer() {
    HostGuard guard = guard(false, "Models.example");
    for (String own :
        List.of(
            "127.0.0.1",
            "127.0.0.1:8090",
            "10.0.0.7:8090",
            "255.249.99.0",
            "[::1]:8090",
            "[2001:db8::7]",
            "[::ffff:10.0.0.7]",
            "[fe80::1%eth0]:8090",
            "localhost",
            "LOCALHOST:1",
            "localhost:",
            "localhost.",
            "models.example.:443",
            "bound.example:8090",
            "BOUND.example",
            "models.EXAMPLE:443")) {
      assertThat(status(guard, own, null, null)).as(own).isEqualTo(200);
    }
    for (String other :
        List.of(
            "",
            ":8090",
            "evil.example",
            "evil.example:8090",
            "127.0.0.1.evil.example",
            "localhost.evil.example",
            "1.2.3",
            "1.2.3.256",
            "01.2.3.4",
            "[evil.example]",
            "[]",
            "[abc]",
            "[::1]evil.example",
            "localhost:8090:1",
            "localhost@evil.example",
            "localhost:x",
            "models.example.evil.example")) {
      assertThat(status(guard, other, null, null)).as(other).isEqualTo(421);
    }
    assertThat(status(guard, null, null, null)).as("a probe in HTTP/1.0").isEqualTo(200);
  }

  @Test
  void refusal_otherPages_mayNotAsk() {
    HostGuard guard = guard(false, "models.example");
    assertThat(status(guard, "127.0.0.1:8090", "http://127.0.0.1:8090", "same-origin"))
        .isEqualTo(200);
    assertThat(status(guard, "127.0.0.1:8090", null, "none")).isEqualTo(200);
    for (String site : List.of("cross-site", "same-site", "")) {
      assertThat(status(guard, "127.0.0.1:8090", null, site)).as(site).isEqualTo(403);
    }
    for (String origin :
        List.of(
            "null",
            "http://evil.example",
            "http://127.0.0.1:8091",
            "http://127.0.0.1",
            "https://127.0.0.1:8090")) {
      assertThat(status(guard, "127.0.0.1:8090", origin, null)).as(origin).isEqualTo(403);
    }
    assertThat(status(guard, "models.example", "https://models.example", null))
        .as("behind a proxy that speaks TLS")
        .isEqualTo(200);
    assertThat(status(guard(false, "[fd00::1]"), "[fd00::1]", "https://[fd00::1]", null))
        .isEqualTo(200);
    assertThat(status(guard, null, "http://localhost", null)).isEqualTo(403);
    assertThat(status(guard(true), "localhost", "https://localhost", null)).isEqualTo(200);
    assertThat(status(guard(true), "localhost", "http://localhost", null)).isEqualTo(403);
  }

  @Test
  void refusal_twoHosts_isRefused() {
    Headers headers = new Headers();
    headers.add("Host", "localhost");
    assertThat(guard(false).refusal(headers)).isNull();
    headers.add("Host", "evil.example");
    HttpRefusal refusal = guard(false).refusal(headers);
    assertThat(refusal).isNotNull();
    assertThat(refusal.reason()).contains("--allowed-host NAME");
  }

  @Test
  void checkedName_whatIsNoName_isRefused() {
    assertThat(HostGuard.checkedName("models-1.example")).isEqualTo("models-1.example");
    assertThat(HostGuard.checkedName("[fd00::1]")).isEqualTo("[fd00::1]");
    for (String bad : List.of("", "a:80", "http://a", "a/b", "a b", "*")) {
      assertThatThrownBy(() -> HostGuard.checkedName(bad))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'" + bad + "' is not a name of a host")
          .hasMessageContaining("models.example");
    }
  }
}
