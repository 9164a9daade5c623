package io.idlalayer.jobs.lending;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

final class AnnouncedAddressTest {
  private static InetSocketAddress bound(String literal) throws Exception {
    return new InetSocketAddress(InetAddress.getByName(literal), 7475);
  }

  @Test
  void address_thatIsListenedOn_isAnnounced() throws Exception {
    assertThat(AnnouncedAddress.of(bound("127.0.0.1")))
        .contains(new LenderAddress("127.0.0.1", 7475));
    assertThat(AnnouncedAddress.of(bound("::1")))
        .hasValueSatisfying(address -> assertThat(address.isLoopback()).isTrue());
    assertThat(AnnouncedAddress.choose(bound("10.0.0.7"), List.of("other")))
        .contains(new LenderAddress("10.0.0.7", 7475));
  }

  @Test
  void allAddresses_areAnnouncedByANameThatOthersCanReach() throws Exception {
    assertThat(AnnouncedAddress.choose(bound("0.0.0.0"), List.of("a.example", "10.0.0.7")))
        .contains(new LenderAddress("a.example", 7475));
    assertThat(AnnouncedAddress.choose(bound("::"), List.of("localhost", "10.0.0.7")))
        .contains(new LenderAddress("10.0.0.7", 7475));
    assertThat(AnnouncedAddress.choose(bound("0.0.0.0"), List.of("localhost", "127.0.1.1")))
        .isEmpty();
    assertThat(AnnouncedAddress.choose(bound("0.0.0.0"), List.of())).isEmpty();
  }
}
