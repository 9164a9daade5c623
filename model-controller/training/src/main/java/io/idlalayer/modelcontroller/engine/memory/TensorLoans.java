package io.idlalayer.modelcontroller.engine.memory;

import io.idlalayer.middleware.lending.borrower.Borrower;
import io.idlalayer.middleware.lending.borrower.BorrowerSettings;
import io.idlalayer.middleware.lending.borrower.LenderAddress;
import io.idlalayer.middleware.lending.borrower.LenderDirectory;
import io.idlalayer.middleware.lending.borrower.NamedLenders;
import io.idlalayer.middleware.lending.wire.LendingTls;
import io.idlalayer.middleware.lending.wire.Secret;
import io.idlalayer.middleware.memory.device.DeviceFailureException;
import io.idlalayer.middleware.memory.places.PlaceOrder;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Memory of other processes for slow tensors.
 *
 * @param bytes largest number of bytes to borrow from all lenders together
 * @param places most lenders at a time; each lender is asked for an equal part
 * @param lenders the lenders
 * @param secret secret that the lenders must know
 * @param tlsStores properties of Kafka clients that name the trusted certificates; null for
 *     connections in clear text
 * @param order whether lent places are always used before the local place, or only if they are
 *     cheaper
 */
public record TensorLoans(
    long bytes,
    int places,
    LenderDirectory lenders,
    Secret secret,
    @Nullable Map<String, String> tlsStores,
    PlaceOrder order) {
  public TensorLoans {
    tlsStores = tlsStores == null ? null : Map.copyOf(tlsStores);
    if (places < 1 || bytes / places < Borrower.BLOCK_BYTES) {
      throw new IllegalArgumentException(
          "%,d bytes of %d lenders; at least one lender and %,d bytes of each are needed"
              .formatted(bytes, places, Borrower.BLOCK_BYTES));
    }
  }

  /**
   * Returns the loans of lenders that a user has named: one place for each.
   *
   * @param bytes largest number of bytes to borrow from all lenders together
   */
  public static TensorLoans named(
      long bytes,
      List<LenderAddress> lenders,
      Secret secret,
      @Nullable Map<String, String> tlsStores,
      PlaceOrder order) {
    return new TensorLoans(
        bytes, lenders.size(), new NamedLenders(lenders), secret, tlsStores, order);
  }

  /** Returns the bytes that each lender is asked for, a multiple of a block. */
  long bytesOfEach() {
    return bytes / places & -Borrower.BLOCK_BYTES;
  }

  /**
   * Returns the loans of one of several parts.
   *
   * @return the loans; null if a part would have less than one block of each lender
   */
  @Nullable TensorLoans part(int parts) {
    long each = bytes / parts;
    return each / places < Borrower.BLOCK_BYTES
        ? null
        : new TensorLoans(each, places, lenders, secret, tlsStores, order);
  }

  /**
   * Returns a borrower.
   *
   * @throws DeviceFailureException if the trusted certificates cannot be read
   */
  Borrower borrower() {
    try {
      SSLContext tls = tlsStores == null ? null : LendingTls.ofBorrower(tlsStores);
      return new Borrower(BorrowerSettings.of(secret, tls));
    } catch (IOException refused) {
      throw new DeviceFailureException("memory.lending.tls: " + refused.getMessage(), refused);
    }
  }

  /** Returns a description without properties, whose values can be secrets. */
  @Override
  public String toString() {
    return "TensorLoans[%d of %s%s]".formatted(bytes, lenders, tlsStores == null ? "" : ", TLS");
  }
}
