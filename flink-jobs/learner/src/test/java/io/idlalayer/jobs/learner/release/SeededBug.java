package io.idlalayer.jobs.learner.release;

import static net.bytebuddy.matcher.ElementMatchers.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.Learner;
import io.idlalayer.jobs.learner.ReleaseHistories;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import net.bytebuddy.ByteBuddy;
import net.bytebuddy.asm.MemberSubstitution;

/**
 * The learner with a bug: one of its methods leaves out a call, and goes on with nothing, zero,
 * false or null in place of what that returns. All classes of the learner are loaded anew around
 * it, those of its tests too, so the product's own are untouched.
 *
 * @param method in which the call is
 * @param leftOut the method that is not called
 */
record SeededBug(Class<?> type, String method, String leftOut) {
  private static final String LEARNER = Learner.class.getPackageName() + ".";

  /**
   * Plays {@link ReleaseHistories} of the seeds from 1 until one breaks a promise.
   *
   * @param most how many are played at most
   * @return what was found; "" if nothing was
   */
  String found(int most) throws ReflectiveOperationException {
    Method play =
        new LearnerLoader(type.getName(), changed())
            .loadClass(ReleaseHistories.class.getName())
            .getMethod("play", long.class);
    for (long seed = 1; seed <= most; seed++) {
      try {
        assertThat(play.invoke(null, seed)).isNotNull();
      } catch (InvocationTargetException broken) {
        assertThat(broken.getCause()).isInstanceOf(AssertionError.class);
        return String.valueOf(broken.getCause().getMessage());
      }
    }
    return "";
  }

  private byte[] changed() {
    byte[] right = new ByteBuddy().redefine(type).make().getBytes();
    byte[] wrong =
        new ByteBuddy()
            .redefine(type)
            .visit(MemberSubstitution.strict().method(named(leftOut)).stub().on(named(method)))
            .make()
            .getBytes();
    assertThat(wrong).as("%s calls %s", method, leftOut).isNotEqualTo(right);
    return wrong;
  }

  /** Loads the classes of the learner and of its tests itself, and one of them from other bytes. */
  private static final class LearnerLoader extends ClassLoader {
    private final String changedName;
    private final byte[] changed;

    LearnerLoader(String changedName, byte[] changed) {
      super(SeededBug.class.getClassLoader());
      this.changedName = changedName;
      this.changed = changed;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (!name.startsWith(LEARNER)) {
        return super.loadClass(name, resolve);
      }
      synchronized (getClassLoadingLock(name)) {
        Class<?> loaded = findLoadedClass(name);
        if (loaded != null) {
          return loaded;
        }
        byte[] bytes = name.equals(changedName) ? changed : bytes(name);
        return defineClass(name, bytes, 0, bytes.length);
      }
    }

    private byte[] bytes(String name) throws ClassNotFoundException {
      String file = name.replace('.', '/') + ".class";
      try (InputStream in = getParent().getResourceAsStream(file)) {
        if (in == null) {
          throw new ClassNotFoundException(name);
        }
        return in.readAllBytes();
      } catch (IOException unreadable) {
        throw new ClassNotFoundException(name, unreadable);
      }
    }
  }
}
