package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.lending.lender.LenderSettings;
import io.idlalayer.middleware.lending.lender.MemoryLender;
import io.idlalayer.middleware.lending.wire.Secret;
import java.net.InetAddress;
import java.net.InetSocketAddress;

/** Lends memory until its input ends; prints its port. */
final class LenderMain {
  static final Secret SECRET = new Secret("a secret of this test");

  private LenderMain() {}

  public static void main(String[] args) throws Exception {
    InetSocketAddress bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    try (MemoryLender lender =
        MemoryLender.start(LenderSettings.of(bind, SECRET, null, 32L << 20))) {
      System.out.println(lender.address().getPort());
      System.out.flush();
      while (System.in.read() >= 0) {
        Thread.onSpinWait();
      }
    }
  }
}
