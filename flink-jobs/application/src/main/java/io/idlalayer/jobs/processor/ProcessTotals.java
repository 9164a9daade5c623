package io.idlalayer.jobs.processor;

import com.sun.management.OperatingSystemMXBean;
import io.idlalayer.jobs.events.ProcessorUse;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The processor time of this whole process. Safe from any thread. */
final class ProcessTotals {
  /** The bean is looked up once, because looking it up takes longer than a call of it. */
  private static final @Nullable CompilationMXBean COMPILATION =
      ManagementFactory.getCompilationMXBean();

  private static final java.lang.management.OperatingSystemMXBean SYSTEM =
      ManagementFactory.getOperatingSystemMXBean();

  private static final double NANOS_PER_SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final double MILLIS_PER_SECOND = TimeUnit.SECONDS.toMillis(1);

  private ProcessTotals() {}

  static ProcessorUse.OfProcess now() {
    return new ProcessorUse.OfProcess(seconds(), compilationSeconds());
  }

  private static double compilationSeconds() {
    CompilationMXBean compilation = COMPILATION;
    return compilation != null && compilation.isCompilationTimeMonitoringSupported()
        ? compilation.getTotalCompilationTime() / MILLIS_PER_SECOND
        : 0;
  }

  private static double seconds() {
    return SYSTEM instanceof OperatingSystemMXBean system
        ? Math.max(0, system.getProcessCpuTime()) / NANOS_PER_SECOND
        : 0;
  }
}
