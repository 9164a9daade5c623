package io.idlalayer.middleware.models.serve;

final class HttpSubscriberLeasesTest extends SubscriberLeasesContract {
  HttpSubscriberLeasesTest() {
    super(new HttpPlace());
  }
}
