package io.idlalayer.middleware.models.serve;

final class HttpSubscriberVersionsTest extends SubscriberVersionsContract {
  HttpSubscriberVersionsTest() {
    super(new HttpPlace());
  }
}
