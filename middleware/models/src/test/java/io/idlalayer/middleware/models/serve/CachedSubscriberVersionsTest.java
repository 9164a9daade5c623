package io.idlalayer.middleware.models.serve;

final class CachedSubscriberVersionsTest extends SubscriberVersionsContract {
  CachedSubscriberVersionsTest() {
    super(new CachedPlace());
  }
}
