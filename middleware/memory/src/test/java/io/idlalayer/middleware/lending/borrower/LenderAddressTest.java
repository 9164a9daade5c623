package io.idlalayer.middleware.lending.borrower;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class LenderAddressTest {
  @ParameterizedTest
  @CsvSource({
    "localhost, true",
    "LocalHost, true",
    "127.0.0.1, true",
    "127.9.8.7, true",
    "::1, true",
    "0:0:0:0:0:0:0:1, true",
    "::ffff:127.0.0.1, true",
    "127.example.org, false",
    "localhost.example.org, false",
    "10.0.0.1, false",
    "0.0.0.0, false",
    "::, false",
    "fe80::1, false",
    "999.0.0.1, false"
  })
  void isLoopback_ofNamesAndNumbers_looksNothingUp(String host, boolean loopback) {
    assertThat(new LenderAddress(host, 7475).isLoopback()).isEqualTo(loopback);
  }
}
