package io.idlalayer.modelcontroller.training.placed;

/** A network has something that training in a placed memory does not do; train it plainly. */
public final class UnsupportedNetworkException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  UnsupportedNetworkException(String message) {
    super(message);
  }
}
