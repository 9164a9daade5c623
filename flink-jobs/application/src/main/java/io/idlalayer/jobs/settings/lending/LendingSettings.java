package io.idlalayer.jobs.settings.lending;

import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import java.io.Serializable;
import java.util.List;

/**
 * The settings for memory that the processes of a job lend and borrow.
 *
 * @param lendBytes largest number of bytes that each process of the job lends; 0 to lend none
 * @param listen address at which a process offers its memory
 * @param borrowBytes largest number of bytes that each process borrows for tensors; 0 to borrow
 *     none
 * @param lenders addresses of the lenders
 * @param order order in which processes use the places of their slow tensors
 * @param token secret that lenders and borrowers share; empty if memory is neither lent nor
 *     borrowed
 * @param topic topic on which lenders announce themselves, and on which borrowers without {@code
 *     lenders} find them; empty for none
 * @param tls whether connections use TLS, with the key stores in {@code kafka.properties}
 */
public record LendingSettings(
    long lendBytes,
    LenderAddress listen,
    long borrowBytes,
    List<LenderAddress> lenders,
    PlaceOrder order,
    String token,
    String topic,
    boolean tls)
    implements Serializable {
  /** Default address of a lender. */
  public static final LenderAddress DEFAULT_LISTEN = new LenderAddress("127.0.0.1", 7475);

  /** The settings with which nothing is lent or borrowed. */
  public static final LendingSettings NONE =
      new LendingSettings(0, DEFAULT_LISTEN, 0, List.of(), PlaceOrder.COST, "", "", false);

  public LendingSettings {
    lenders = List.copyOf(lenders);
  }

  /** Returns whether processes of the job lend memory. */
  public boolean lends() {
    return lendBytes > 0;
  }

  /** Returns whether processes of the job borrow memory. */
  public boolean borrows() {
    return borrowBytes > 0;
  }

  /** Returns whether processes of the job borrow from lenders that they find on the topic. */
  public boolean findsLenders() {
    return borrows() && lenders.isEmpty();
  }

  /** Returns the settings without the token. */
  @Override
  public String toString() {
    return "LendingSettings[lendBytes=%d, listen=%s, borrowBytes=%d, lenders=%s, order=%s, topic=%s%s]"
        .formatted(lendBytes, listen, borrowBytes, lenders, order, topic, tls ? ", TLS" : "");
  }
}
