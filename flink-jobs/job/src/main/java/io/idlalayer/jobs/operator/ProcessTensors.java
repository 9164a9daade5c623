package io.idlalayer.jobs.operator;

import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;

/**
 * The tensor memory of each application in this process. All subtasks of the application in this
 * process share it. A restarted job finds the memory of its former attempt. It uses the DRAM of
 * this memory again, and a hanging training of the former attempt still counts.
 */
final class ProcessTensors {
  private static final ProcessTensors SHARED = new ProcessTensors();

  private record Key(String application, int parts, TensorFolder part) {}

  private final Map<Key, WeakReference<TensorShares>> known = new HashMap<>();

  private ProcessTensors() {}

  /**
   * Acquires the tensor memory of an application; the caller releases it with {@link
   * TensorShares#leave}.
   *
   * @param defaults what the application does not say itself
   * @param trainings largest number of trainings that run at a time in this process, over all
   *     applications
   * @throws IllegalArgumentException if a training would have too little memory; the message names
   *     the sum
   */
  static TensorShares acquire(
      ApplicationSettings application, TensorFolder.Defaults defaults, int trainings) {
    int parts = parts(application, trainings);
    TensorFolder part = TensorFolder.of(application, defaults, parts);
    return SHARED.enter(new Key(application.name(), parts, part));
  }

  /**
   * Returns the number of equal parts into which the tensor memory of an application is divided,
   * one part for each training that can run at the same time.
   *
   * @param trainings largest number of trainings that run at a time in this process, over all
   *     applications
   */
  static int parts(ApplicationSettings application, int trainings) {
    return Math.min(trainings, application.partitions());
  }

  private synchronized TensorShares enter(Key key) {
    known.values().removeIf(shares -> shares.get() == null);
    WeakReference<TensorShares> former = known.get(key);
    TensorShares shares = former == null ? null : former.get();
    if (shares == null) {
      shares = new TensorShares(key.application(), key.parts(), key.part());
      known.put(key, new WeakReference<>(shares));
    }
    shares.enter();
    return shares;
  }
}
