package io.idlalayer.jobs.cli.plan;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.memory.device.DeviceProfile;
import java.util.List;

/**
 * A plan with the measurements on which it is based.
 *
 * @param profiles devices that were measured on this machine
 * @param devices slow devices that were planned with
 */
record MeasuredPlan(
    ApplicationSettings settings,
    PlanRequest request,
    MeasuredNetwork network,
    List<DeviceProfile> profiles,
    List<PlannedDevice> devices,
    PlanResult result) {
  MeasuredPlan {
    profiles = List.copyOf(profiles);
    devices = List.copyOf(devices);
  }
}
