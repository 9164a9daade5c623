package io.idlalayer.middleware.embedding.serve;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Unmaps memory-mapped files at once, without waiting for the garbage collector. Java 17 by itself
 * unmaps a file when the garbage collector finds its buffer, which may be hours later, and until
 * then the blocks of a deleted file stay taken. The method that unmaps at once is not part of the
 * Java standard; in a JVM without this method, the collector unmaps the file.
 */
final class Mappings {
  private static final Logger LOG = LoggerFactory.getLogger(Mappings.class);
  private static final @Nullable MethodHandle UNMAP = unmapping();

  private Mappings() {}

  private static @Nullable MethodHandle unmapping() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field only = unsafe.getDeclaredField("theUnsafe");
      only.setAccessible(true);
      return MethodHandles.lookup()
          .findVirtual(unsafe, "invokeCleaner", MethodType.methodType(void.class, ByteBuffer.class))
          .bindTo(only.get(null));
    } catch (ReflectiveOperationException | RuntimeException missing) {
      LOG.info("files are unmapped by the garbage collector, not at once: {}", missing.toString());
      return null;
    }
  }

  /** Unmaps the memory of a buffer. Reading it afterwards would end the process. */
  static void unmap(MappedByteBuffer buffer) {
    MethodHandle unmap = UNMAP;
    if (unmap == null) {
      return;
    }
    try {
      unmap.invoke(buffer);
    } catch (Throwable failed) {
      LOG.warn("a file is unmapped by the garbage collector, not at once", failed);
    }
  }
}
