package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.lending.wire.Secret;
import java.time.Duration;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Settings of a borrower.
 *
 * @param secret secret that lenders must have
 * @param tls trusted certificates; null for connections in clear text, which are allowed to
 *     loopback addresses only
 * @param connect longest time for a connection
 * @param request longest time for a request for bytes; a lender that needs longer is lost
 * @param lend longest time for a request for a loan, whose memory a lender may have to acquire
 * @param pauses pauses before another request for a loan
 */
public record BorrowerSettings(
    Secret secret,
    @Nullable SSLContext tls,
    Duration connect,
    Duration request,
    Duration lend,
    Pauses pauses) {
  private static final Duration CONNECT = Duration.ofSeconds(3);
  private static final Duration REQUEST = Duration.ofSeconds(10);
  private static final Duration LEND = Duration.ofMinutes(2);

  /**
   * Pauses before another request for a loan.
   *
   * @param first first pause after a failure; each failure doubles it
   * @param most longest pause after failures, and the pause after a loan that was too slow
   */
  public record Pauses(Duration first, Duration most) {
    /** Default pauses: 5 s, and at most 10 minutes. */
    public static final Pauses DEFAULT = new Pauses(Duration.ofSeconds(5), Duration.ofMinutes(10));
  }

  /** Creates settings with the usual time limits: 3 s, 10 s and 2 minutes. */
  public static BorrowerSettings of(Secret secret, @Nullable SSLContext tls) {
    return new BorrowerSettings(secret, tls, CONNECT, REQUEST, LEND, Pauses.DEFAULT);
  }
}
