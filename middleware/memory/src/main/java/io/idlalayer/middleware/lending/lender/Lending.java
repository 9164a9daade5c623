package io.idlalayer.middleware.lending.lender;

import io.idlalayer.middleware.lending.wire.LoanId;
import java.nio.ByteBuffer;

/**
 * Memory of which loans are given. A loan ends when it is returned, or when its lease has passed
 * since its last use. Any thread.
 */
public interface Lending {
  /**
   * Gives a loan. All of its bytes are 0.
   *
   * @param bytes size of the loan, above 0
   * @throws NoRoomException if fewer bytes are free
   */
  LoanId lend(long bytes) throws NoRoomException;

  /**
   * Writes bytes of a loan, and begins its lease anew.
   *
   * @param offset offset of the first byte in the loan
   * @param data the bytes, from its position to its limit
   * @throws UnknownLoanException if the loan has ended
   * @throws IndexOutOfBoundsException if not all bytes are in the loan
   */
  void put(LoanId loan, long offset, ByteBuffer data) throws UnknownLoanException;

  /**
   * Reads bytes of a loan, and begins its lease anew.
   *
   * @param offset offset of the first byte in the loan
   * @param target filled from its position to its limit
   * @throws UnknownLoanException if the loan has ended
   * @throws IndexOutOfBoundsException if not all bytes are in the loan
   */
  void get(LoanId loan, long offset, ByteBuffer target) throws UnknownLoanException;

  /**
   * Begins the lease of a loan anew.
   *
   * @throws UnknownLoanException if the loan has ended
   */
  void renew(LoanId loan) throws UnknownLoanException;

  /**
   * Ends a loan.
   *
   * @throws UnknownLoanException if the loan has already ended
   */
  void giveBack(LoanId loan) throws UnknownLoanException;
}
