package io.idlalayer.middleware.lending.borrower;

/**
 * States of what a lender lends to this process.
 *
 * <table>
 * <caption>Transitions</caption>
 * <tr><th>from</th><th>event</th><th>to</th></tr>
 * <tr><td>NONE</td><td>a loan was taken, probed and found faster</td><td>HELD</td></tr>
 * <tr><td>NONE</td><td>a loan was found slower, and returned</td><td>NONE, after a pause</td></tr>
 * <tr><td>NONE</td><td>the lender refused or was not there</td><td>NONE, after a pause</td></tr>
 * <tr><td>HELD</td><td>a request failed, or bytes were not those written</td><td>NONE</td></tr>
 * <tr><td>any</td><td>close</td><td>CLOSED</td></tr>
 * </table>
 */
enum LoanState {
  /** There is no loan; one is asked for when the present pause ends. */
  NONE,
  /** There is a loan, and its place is used. */
  HELD,
  /** The borrower is closed. */
  CLOSED
}
