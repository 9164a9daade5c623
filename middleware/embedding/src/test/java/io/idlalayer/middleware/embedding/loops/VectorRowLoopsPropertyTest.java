package io.idlalayer.middleware.embedding.loops;

final class VectorRowLoopsPropertyTest extends RowLoopsContract {
  VectorRowLoopsPropertyTest() {
    super(TestLoops.VECTOR);
  }
}
