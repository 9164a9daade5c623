package io.idlalayer.middleware.memory.device;

final class DirectArenaTest extends ArenaContract {
  @Override
  Arena open(DeviceSpec spec, int pieceBytes) {
    return new DirectArena(spec, pieceBytes);
  }
}
