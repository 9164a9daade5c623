package io.idlalayer.middleware.lending.lender;

import io.idlalayer.middleware.lending.wire.LoanId;
import io.idlalayer.middleware.lending.wire.Protocol;
import io.idlalayer.middleware.lending.wire.ProtocolException;
import io.idlalayer.middleware.lending.wire.Refusal;
import io.idlalayer.middleware.lending.wire.Wire;
import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/** Answers the requests on one connection, one after the other. One thread. */
final class LenderSession {
  private final Wire wire;
  private final LentMemory memory;
  private final LenderSettings.Limits limits;
  private final String borrower;

  /**
   * @param borrower address of the other side
   */
  LenderSession(Wire wire, LentMemory memory, LenderSettings.Limits limits, String borrower) {
    this.wire = wire;
    this.memory = memory;
    this.limits = limits;
    this.borrower = borrower;
  }

  /**
   * Answers requests until the borrower closes the connection.
   *
   * @throws ProtocolException if a frame is not one of the protocol
   */
  void run() throws IOException {
    wire.limit(limits.idle().toNanos());
    while (wire.awaitFrame()) {
      wire.limit(limits.request().toNanos());
      answer(wire.rest());
      wire.limit(limits.idle().toNanos());
    }
  }

  private void answer(Wire.Frame request) throws IOException {
    try {
      carryOut(request.type(), request.body());
    } catch (NoRoomException full) {
      wire.refuse(Refusal.NO_ROOM, String.valueOf(full.getMessage()));
    } catch (UnknownLoanException unknown) {
      wire.refuse(Refusal.UNKNOWN_LOAN, String.valueOf(unknown.getMessage()));
    } catch (IndexOutOfBoundsException | IllegalArgumentException wrong) {
      wire.refuse(Refusal.BAD_REQUEST, String.valueOf(wrong.getMessage()));
    } catch (BufferUnderflowException tooShort) {
      wire.refuse(
          Refusal.BAD_REQUEST, "a request of type %d is too short".formatted(request.type()));
    }
  }

  private void carryOut(byte type, ByteBuffer body)
      throws IOException, NoRoomException, UnknownLoanException {
    switch (type) {
      case Protocol.LEND -> lend(body.getLong());
      case Protocol.PUT -> {
        memory.put(LoanId.read(body), body.getLong(), body);
        wire.send(Protocol.DONE);
      }
      case Protocol.GET -> get(LoanId.read(body), body.getLong(), body.getInt());
      case Protocol.RENEW -> {
        memory.renew(LoanId.read(body));
        wire.send(Protocol.DONE);
      }
      case Protocol.RETURN -> {
        memory.giveBack(LoanId.read(body));
        wire.send(Protocol.DONE);
      }
      default -> throw new ProtocolException("a request of unknown type %d".formatted(type));
    }
  }

  private void lend(long bytes) throws IOException, NoRoomException {
    // The system may need seconds for many bytes, for which the borrower is not to blame.
    wire.unlimited();
    LoanId loan = memory.lend(bytes, borrower);
    wire.limit(limits.request().toNanos());
    ByteBuffer answer = wire.body(2 * Long.BYTES);
    loan.write(answer);
    wire.send(Protocol.LENT, answer);
  }

  private void get(LoanId loan, long offset, int bytes) throws IOException, UnknownLoanException {
    if (bytes < 0 || bytes > Protocol.MOST_DATA_BYTES) {
      throw new IllegalArgumentException(
          "%d bytes are asked for; 0 to %d are possible"
              .formatted(bytes, Protocol.MOST_DATA_BYTES));
    }
    ByteBuffer answer = wire.body(bytes);
    memory.get(loan, offset, answer);
    wire.send(Protocol.DATA, answer);
  }
}
