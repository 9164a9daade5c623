package io.idlalayer.middleware.models.serve;

final class FakeNoticesTest extends NoticeSourceContract {
  private final FakeNotices notices = new FakeNotices();

  @Override
  protected NoticeSource open() {
    return notices.open("app", 1);
  }

  @Override
  protected void send(String application, int partition) {
    notices.send(application, partition);
  }
}
