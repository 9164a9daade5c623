package io.idlalayer.middleware.lending.borrower;

import io.idlalayer.middleware.lending.wire.LoanId;
import io.idlalayer.middleware.lending.wire.Protocol;
import io.idlalayer.middleware.lending.wire.ProtocolException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;

/**
 * A loan of a lender. Requests fail once the lender has ended it, or has started anew. Any thread.
 */
final class Loan {
  private final LenderLink link;
  private final Duration limit;
  private final Terms terms;

  /**
   * What was agreed on.
   *
   * @param generation generation of the process that lends
   * @param leaseMillis time after which the loan ends if it is not used
   */
  private record Terms(LoanId id, long generation, long leaseMillis) {}

  /** Uses the data of an answer, which is valid during the call only. */
  interface DataUse {
    void use(ByteBuffer data) throws IOException;
  }

  private Loan(LenderLink link, Duration limit, Terms terms) {
    this.link = link;
    this.limit = limit;
    this.terms = terms;
  }

  /**
   * Takes a loan.
   *
   * @throws IOException if the lender cannot be reached or refuses
   */
  static Loan take(LenderLink link, BorrowerSettings settings, long bytes) throws IOException {
    Terms terms =
        link.ask(
            null,
            settings.lend(),
            (wire, offer) -> {
              wire.send(Protocol.LEND, wire.body(Long.BYTES).putLong(bytes));
              LoanId id = LoanId.read(wire.answer(Protocol.LENT));
              return new Terms(id, offer.generation(), offer.leaseMillis());
            });
    return new Loan(link, settings.request(), terms);
  }

  long leaseMillis() {
    return terms.leaseMillis();
  }

  /**
   * Writes bytes.
   *
   * @param data at most {@link Protocol#MOST_DATA_BYTES}, from its position to its limit; its
   *     position does not change
   */
  void put(long offset, ByteBuffer data) throws IOException {
    link.ask(
        terms.generation(),
        limit,
        (wire, offer) -> {
          ByteBuffer body = wire.body(2 * Long.BYTES + Long.BYTES + data.remaining());
          terms.id().write(body);
          wire.send(Protocol.PUT, body.putLong(offset).put(data.duplicate()));
          return wire.answer(Protocol.DONE);
        });
  }

  /**
   * Reads bytes.
   *
   * @param bytes at most {@link Protocol#MOST_DATA_BYTES}
   * @param use gets exactly as many
   */
  void get(long offset, int bytes, DataUse use) throws IOException {
    link.ask(
        terms.generation(),
        limit,
        (wire, offer) -> {
          ByteBuffer body = wire.body(2 * Long.BYTES + Long.BYTES + Integer.BYTES);
          terms.id().write(body);
          wire.send(Protocol.GET, body.putLong(offset).putInt(bytes));
          ByteBuffer data = wire.answer(Protocol.DATA);
          if (data.remaining() != bytes) {
            throw new ProtocolException(
                "%d bytes were asked for, and %d were sent".formatted(bytes, data.remaining()));
          }
          use.use(data);
          return data;
        });
  }

  /** Begins the lease anew. */
  void renew() throws IOException {
    named(Protocol.RENEW);
  }

  /** Ends the loan. */
  void giveBack() throws IOException {
    named(Protocol.RETURN);
  }

  private void named(byte type) throws IOException {
    link.ask(
        terms.generation(),
        limit,
        (wire, offer) -> {
          ByteBuffer body = wire.body(2 * Long.BYTES);
          terms.id().write(body);
          wire.send(type, body);
          return wire.answer(Protocol.DONE);
        });
  }

  @Override
  public String toString() {
    return "%s of %s".formatted(terms.id(), link);
  }
}
