package io.idlalayer.middleware.memory.copy;

import io.idlalayer.middleware.memory.device.DeviceId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;

/** Counts copies and bytes by direction, that is, by pair of source and target device. */
final class Meter {
  private final int devices;
  private final LongAdder[] bytes;
  private final LongAdder[] copies;

  Meter(int devices) {
    this.devices = devices;
    bytes = adders(devices * devices);
    copies = adders(devices * devices);
  }

  private static LongAdder[] adders(int count) {
    LongAdder[] adders = new LongAdder[count];
    for (int i = 0; i < count; i++) {
      adders[i] = new LongAdder();
    }
    return adders;
  }

  void copied(DeviceId source, DeviceId target, long copied) {
    int direction = source.index() * devices + target.index();
    bytes[direction].add(copied);
    copies[direction].increment();
  }

  Traffic traffic() {
    List<Traffic.Flow> flows = new ArrayList<>();
    for (int i = 0; i < bytes.length; i++) {
      if (copies[i].sum() > 0) {
        flows.add(
            new Traffic.Flow(
                new DeviceId(i / devices),
                new DeviceId(i % devices),
                copies[i].sum(),
                bytes[i].sum()));
      }
    }
    return new Traffic(List.copyOf(flows));
  }
}
