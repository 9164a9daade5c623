package io.idlalayer.middleware.models.serve;

final class HttpSubscriberFaultsTest extends SubscriberFaultsContract {
  HttpSubscriberFaultsTest() {
    super(new HttpPlace());
  }
}
