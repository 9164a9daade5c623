package io.idlalayer.middleware.embedding;

final class PlainRowLoopsPropertyTest extends RowLoopsContract {
  PlainRowLoopsPropertyTest() {
    super(TestLoops.PLAIN);
  }
}
