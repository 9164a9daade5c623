package io.idlalayer.jobs.operator;

import io.idlalayer.datacontroller.store.SampleStore;
import io.idlalayer.datacontroller.store.SampleStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** The contract on real keyed state in a real RocksDB. */
final class FlinkSampleStoreTest extends SampleStoreContract {
  @TempDir Path folder;
  private KeyedStateHarness harness;

  @Override
  protected SampleStore open() throws Exception {
    harness = new KeyedStateHarness(folder, null);
    return harness.state().samples();
  }

  @AfterEach
  void close() throws Exception {
    harness.close();
  }
}
