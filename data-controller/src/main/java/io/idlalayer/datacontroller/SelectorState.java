package io.idlalayer.datacontroller;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** A policy's snapshot with the policy's name: another policy could not read it. */
final class SelectorState {
  private SelectorState() {}

  /** Length of the name, the name, the snapshot. */
  static byte[] of(DataSettings.Policy policy, byte[] snapshot) {
    byte[] name = policy.name().getBytes(StandardCharsets.US_ASCII);
    byte[] state =
        Arrays.copyOf(new byte[] {(byte) name.length}, 1 + name.length + snapshot.length);
    System.arraycopy(name, 0, state, 1, name.length);
    System.arraycopy(snapshot, 0, state, 1 + name.length, snapshot.length);
    return state;
  }

  /** The snapshot, or nothing if it is another policy's: the one chosen now begins anew. */
  static byte[] taken(DataSettings.Policy policy, byte[] state) {
    byte[] head = of(policy, new byte[0]);
    boolean same =
        state.length >= head.length && Arrays.equals(state, 0, head.length, head, 0, head.length);
    return same ? Arrays.copyOfRange(state, head.length, state.length) : new byte[0];
  }
}
