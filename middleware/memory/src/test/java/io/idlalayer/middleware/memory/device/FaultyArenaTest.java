package io.idlalayer.middleware.memory.device;

/** The test double behaves as any arena while it is healthy. */
final class FaultyArenaTest extends ArenaContract {
  @Override
  Arena open(DeviceSpec spec, int pieceBytes) {
    return new FaultyArena(spec, pieceBytes);
  }
}
