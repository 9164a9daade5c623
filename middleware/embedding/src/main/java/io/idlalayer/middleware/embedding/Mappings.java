package io.idlalayer.middleware.embedding;

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
 * Ends mappings. Java 17 ends them when the garbage collector finds the buffer, which may be hours
 * later, and until then the blocks of a deleted file are taken. The way to do it at once is not in
 * the standard; where it is missing, the collector does it.
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
      LOG.info("mappings end when the garbage collector finds them: {}", missing.toString());
      return null;
    }
  }

  /** Ends a mapping. Nobody may read the buffer any more: the process would die. */
  static void unmap(MappedByteBuffer buffer) {
    MethodHandle unmap = UNMAP;
    if (unmap == null) {
      return;
    }
    try {
      unmap.invoke(buffer);
    } catch (Throwable failed) {
      LOG.warn("a mapping ends when the garbage collector finds it", failed);
    }
  }
}
